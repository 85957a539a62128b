import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { errorMessage } from "../../../base/error-message.ts";
import { definitionsOfExports } from "../../../custom-kinds/definitions/definitions-of-exports.ts";
import type { Definition } from "../../../custom-kinds/language/kind-definition.ts";
import { yamlDocuments } from "../../../schema/yaml/yaml.ts";
import { exportedDefinitions } from "./exported-definitions.ts";

/**
 * The definitions of a file, by their names: a manifest in YAML or JSON (`-` is standard input), or a
 * module that exports kinds.
 */
export async function readDefinitions(
  file: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Definition>> {
  const isModule = modules.has(extname(file));
  const found = isModule
    ? definitionsOfExports(await exportedDefinitions(file, signal))
    : manifestsOf(file);
  if (found.size === 0)
    throw new Error(
      isModule
        ? `${file} exports no kind: export what kind({…}) of wherry/schema returns`
        : `${file} has no CustomResourceDefinition`,
    );
  return found;
}

const modules = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]);

function manifestsOf(file: string): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  for (const document of documentsOf(file)) {
    const { kind, apiVersion, items } = document as Manifest;
    const inside = kind === "List" && Array.isArray(items) ? items : [document];
    for (const one of inside as readonly Manifest[]) {
      if (one.kind !== "CustomResourceDefinition") continue;
      if (one.apiVersion !== "apiextensions.k8s.io/v1")
        throw new Error(`${file}: definitions of ${one.apiVersion ?? apiVersion} are not read`);
      const definition = one as Definition;
      const name = definition.metadata?.name ?? "";
      if (found.has(name)) throw new Error(`${file}: ${name} is defined twice`);
      if (!Array.isArray(definition.spec?.versions))
        throw new Error(`${file}: ${name} has no versions`);
      found.set(name, definition);
    }
  }
  return found;
}

interface Manifest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly items?: unknown;
}

function documentsOf(file: string): readonly unknown[] {
  try {
    const documents = yamlDocuments(readFileSync(file === "-" ? 0 : file, "utf8"));
    return documents.filter((document) => typeof document === "object" && document !== null);
  } catch (error) {
    throw new Error(`${file}: ${errorMessage(error)}`, { cause: error });
  }
}
