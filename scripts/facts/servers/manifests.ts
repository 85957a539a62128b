import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { yamlToJson } from "../../../src/schema/yaml/yaml.ts";
import { isMembers, type Members, pick } from "../values.ts";

export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Members };
  readonly subresources?: { readonly status?: Members; readonly scale?: Members };
}
/** What is read of a CustomResourceDefinition. */
export interface Definition extends Members {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly Version[];
  };
}
export interface Manifests {
  readonly definitions: readonly Definition[];
  /** The objects of kinds that a definition of the folder declares. */
  readonly objects: readonly Members[];
}

/** The definitions in the YAML files of a folder and of those below it, and objects of their kinds. */
export function readManifests(folder: string): Manifests {
  const documents = yamlFiles(folder).flatMap(readDocuments);
  const definitions = documents.filter(isDefinition);
  const kinds = new Set(
    definitions.flatMap(({ spec: { group, names, versions } }) =>
      versions.map(({ name }) => `${group}/${name} ${names.kind}`),
    ),
  );
  const byName = new Map(definitions.map((held) => [held.metadata.name, held]));
  return {
    definitions: [...byName.values()],
    objects: documents.filter(({ apiVersion, kind }) => kinds.has(`${apiVersion} ${kind}`)),
  };
}

function yamlFiles(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return /\.ya?ml$/.test(path) ? [path] : [];
  return readdirSync(path)
    .sort()
    .flatMap((name) => yamlFiles(join(path, name)));
}

/** The documents of a file; those that are templates, or no maps, are left out. */
function readDocuments(file: string): readonly Members[] {
  return readFileSync(file, "utf8")
    .split(/^---.*$/m)
    .map((text) => {
      try {
        return yamlToJson(text);
      } catch {
        return undefined;
      }
    })
    .filter(isMembers);
}

const isDefinition = (document: Members): document is Definition =>
  document.apiVersion === "apiextensions.k8s.io/v1" &&
  document.kind === "CustomResourceDefinition" &&
  Array.isArray(pick(document, "spec.versions"));
