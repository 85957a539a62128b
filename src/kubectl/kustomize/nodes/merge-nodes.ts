import type { MergeSchema, SchemaSource } from "../config/merge-schema.ts";
import { isUserError } from "../kustomize-error.ts";
import { expectKind, setField } from "./lookup.ts";
import { mergeLists, type Pair } from "./merge-lists.ts";
import { type Directive, directiveOf } from "./patch-directive.ts";
import { member, membersOf, present, tags, textOf, YamlNode } from "./yaml-node.ts";

/** Merges a strategic merge patch into an object in place; undefined where the patch deletes it. */
export function mergeNodes(
  dest: YamlNode,
  patch: YamlNode,
  schemas: SchemaSource,
): YamlNode | undefined {
  return merge({ dest, patch, schema: undefined, schemas });
}

/** Merges two nodes and returns the node that is to be in their place. */
function merge(pair: Pair): YamlNode | undefined {
  const { dest, patch } = pair;
  const schema = pair.schema ?? schemaOf(pair);
  const kind = (present(dest) ?? present(patch))?.kind;
  if (kind !== undefined) {
    expectKind(dest, kind);
    expectKind(patch, kind);
  }
  if (kind === undefined || kind === "mapping") return mergeMappings({ ...pair, schema });
  if (kind === "scalar") return patch ?? dest;
  if (kind !== "sequence") return undefined;
  const isMerged = schema?.strategy.split(",").includes("merge") === true;
  return isMerged ? mergeSequences({ ...pair, schema }) : (patch ?? dest);
}

function schemaOf({ dest, patch, schemas }: Pair): MergeSchema | undefined {
  for (const node of [dest, patch]) {
    const kind = textOf(member(node, "kind"));
    const apiVersion = textOf(member(node, "apiVersion"));
    if (kind === "" || apiVersion === "") continue;
    const schema = schemas(apiVersion, kind);
    if (schema !== undefined) return schema;
  }
  return undefined;
}

function mergeMappings(pair: Pair): YamlNode | undefined {
  const dest = placeOf(pair, "mapping");
  if (dest === undefined) return undefined;
  const names = new Set([...membersOf(dest), ...membersOf(pair.patch)].map(([key]) => key.value));
  for (const name of [...names].toSorted()) {
    const merged = merge({
      dest: member(dest, name),
      patch: member(pair.patch, name),
      schema: pair.schema?.field(name),
      schemas: pair.schemas,
    });
    setField(dest, name, merged);
  }
  return dest;
}

function mergeSequences(pair: Pair): YamlNode | undefined {
  const dest = placeOf(pair, "sequence");
  return dest && mergeLists({ ...pair, dest }, merge);
}

/** The node in which two are merged; undefined where the patch deletes it. */
function placeOf({ dest, patch }: Pair, kind: "mapping" | "sequence"): YamlNode | undefined {
  const old = present(dest);
  if (old === undefined) {
    if (kind === "sequence") return patch;
    if (patch?.kind === "mapping" && quietDirective(patch) === "delete") return undefined;
    const isNull = patch === undefined && dest !== undefined && dest.value !== "";
    return isNull ? keptNull(dest) : patch;
  }
  if (patch?.tag === tags.null) return undefined;
  if (patch !== undefined && old.content.length === 0) old.style = patch.style;
  const directive = patch === undefined ? "merge" : directiveOf(patch);
  if (directive === "delete") return undefined;
  return directive === "replace" ? patch : old;
}

/** As `directiveOf`, where there is nothing yet that an unknown directive could spoil. */
function quietDirective(patch: YamlNode): Directive {
  try {
    return directiveOf(patch);
  } catch (error) {
    if (!isUserError(error)) throw error;
    return "merge";
  }
}

function keptNull({ value }: YamlNode): YamlNode {
  const node = new YamlNode({ kind: "scalar", tag: tags.null, value });
  node.keep = true;
  return node;
}
