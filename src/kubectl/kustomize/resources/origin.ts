import { join } from "node:path/posix";
import { isMap } from "../../../schema/json/json-value.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { parseRepoSpec } from "../loading/repo-spec.ts";
import { nodeOfValue } from "../nodes/resolve-node.ts";
import { writeNode } from "../nodes/write-node.ts";
import { YamlNode } from "../nodes/yaml-node.ts";

/** Where a resource, or a change of it, comes from. */
export interface Origin {
  readonly path?: string;
  readonly repo?: string;
  readonly ref?: string;
  readonly configuredIn?: string;
  readonly configuredBy?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
}

/** The origin of what is at a path, or in a repository, that an origin names. */
export function originBelow(origin: Origin, path: string): Origin {
  const spec = parseRepoSpec(path);
  if (spec === undefined) return { ...origin, path: join(origin.path ?? "", path) };
  const { path: _, ...rest } = origin;
  const below = join("/", spec.rootPath).slice(1);
  return {
    ...rest,
    repo: spec.host + spec.repoPath,
    ...(spec.ref === "" ? {} : { ref: spec.ref }),
    path: below === "" ? "." : below,
  };
}

/** Writes an origin as the annotation holds it. */
export const originText = (origin: Origin): string => writeNode(originNode(origin));

/** Writes the list of changes as the annotation holds it. */
export const originsText = (origins: readonly Origin[]): string =>
  writeNode(new YamlNode({ kind: "sequence", content: origins.map(originNode) }));

function originNode(origin: Origin): YamlNode {
  const { path, repo, ref, configuredIn, configuredBy } = origin;
  return inOrder({
    path,
    repo,
    ref,
    configuredIn,
    configuredBy: configuredBy && {
      apiVersion: configuredBy.apiVersion,
      kind: configuredBy.kind,
      name: configuredBy.name,
      namespace: configuredBy.namespace,
    },
  });
}

function inOrder(value: object): YamlNode {
  const content = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (member === undefined || member === "") return [];
    return [nodeOfValue(name), isMap(member) ? inOrder(member) : nodeOfValue(member)];
  });
  return new YamlNode({ kind: "mapping", content });
}

/** Reads the annotation that tells an origin. */
export function readOrigin(text: string | undefined): Origin | undefined {
  if (text === undefined) return undefined;
  const value = yamlToJson(text);
  return isMap(value) ? value : {};
}

/** Reads the annotation that lists changes. */
export function readOrigins(text: string | undefined): readonly Origin[] {
  if (text === undefined) return [];
  const value = yamlToJson(text);
  return Array.isArray(value) ? (value as Origin[]) : [];
}
