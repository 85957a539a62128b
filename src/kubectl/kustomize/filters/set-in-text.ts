import { isUserError } from "../kustomize-error.ts";
import { goJsonText } from "../nodes/go-json-text.ts";
import { lookup } from "../nodes/lookup.ts";
import { matchPath } from "../nodes/match-path.ts";
import { nodeValue } from "../nodes/node-value.ts";
import { parseNode } from "../nodes/read-nodes.ts";
import { writeNode } from "../nodes/write-node.ts";
import type { NodeKind, YamlNode } from "../nodes/yaml-node.ts";

interface TextChange {
  readonly path: readonly string[];
  readonly value: YamlNode;
  readonly create?: NodeKind;
}

/**
 * Sets a field of a document that is the text of another field, as in config maps. False where the
 * path does not lead through such a text; nothing is changed then.
 */
export function setInText(node: YamlNode, change: TextChange): boolean {
  try {
    return set(node, change);
  } catch (error) {
    if (!isUserError(error)) throw error;
    return false;
  }
}

function set(node: YamlNode, { path, value, create }: TextChange): boolean {
  for (let i = 1; i < path.length; i++) {
    const field = tryLookup(node, path.slice(0, i));
    if (field?.kind !== "scalar") continue;
    const document = tryParse(field.value);
    if (document === undefined) continue;
    const targets = matchPath(document, path.slice(i), create) ?? [];
    if (targets.length === 0) return false;
    for (const target of targets) {
      if (target.kind === "scalar") target.value = value.value;
      else target.assign(value);
    }
    field.value = written(document, field.value);
    return true;
  }
  return false;
}

function tryLookup(node: YamlNode, path: readonly string[]): YamlNode | undefined {
  try {
    return lookup(node, path);
  } catch (error) {
    if (!isUserError(error)) throw error;
    return undefined;
  }
}

function tryParse(text: string): YamlNode | undefined {
  try {
    return parseNode(text);
  } catch (error) {
    if (!isUserError(error)) throw error;
    return undefined;
  }
}

/** Writes a document in the form that its text had. */
function written(document: YamlNode, before: string): string {
  const first = before.trim().charAt(0);
  if (first !== "{" && first !== "[") return writeNode(document).trim();
  const indent = before.includes("\n") && before.includes("  ") ? "  " : "";
  return goJsonText(nodeValue(document), indent);
}
