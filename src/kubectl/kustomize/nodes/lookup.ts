import { KustomizeError } from "../kustomize-error.ts";
import { isOldNonString } from "./resolve-node.ts";
import { writeNode } from "./write-node.ts";
import {
  isMissing,
  isString,
  mappingNode,
  member,
  type NodeKind,
  scalarNode,
  tags,
  YamlNode,
} from "./yaml-node.ts";

/** A node that is not of the kind that is needed. */
export class NodeKindError extends KustomizeError {
  readonly actual: NodeKind;

  constructor(expected: NodeKind, node: YamlNode) {
    const contents = `: node contents:\n${writeNode(node)}`;
    super(
      `wrong node kind: expected ${kindName[expected]} but got ${kindName[node.kind]}${contents}`,
    );
    this.actual = node.kind;
  }
}

const kindName: Readonly<Record<NodeKind, string>> = {
  none: "",
  scalar: "ScalarNode",
  mapping: "MappingNode",
  sequence: "SequenceNode",
};

/** Throws unless a node is of a kind, or missing. */
export function expectKind(node: YamlNode | undefined, kind: NodeKind): void {
  if (node === undefined || node.tag === tags.null || node.kind === kind) return;
  throw new NodeKindError(kind, node);
}

/** The value of a key; throws where the node is no mapping. */
export function getField(node: YamlNode, name: string): YamlNode | undefined {
  if (node.tag === tags.null) return undefined;
  expectKind(node, "mapping");
  return member(node, name);
}

/**
 * The node at a path: names, indexes, `-` for the last item, `[name=value]`. What is missing is made
 * with `create` as the kind of the last node.
 */
export function lookup(
  root: YamlNode,
  path: readonly string[],
  create?: NodeKind,
): YamlNode | undefined {
  const parts = path.map((part) => part.trim()).filter((part) => part !== "");
  let node: YamlNode | undefined = root;
  for (const [i, part] of parts.entries()) {
    if (node === undefined) return undefined;
    node = step(node, part, create && partKind(parts[i + 1] ?? "", create));
  }
  return node;
}

/** The kind that a node needs for the next part of a path to be found in it. */
export function partKind(next: string, last: NodeKind): NodeKind {
  if (next === "") return last;
  return isListIndex(next) || isIndex(next) ? "sequence" : "mapping";
}

export const isListIndex = (part: string): boolean => part.startsWith("[") && part.endsWith("]");

export const isIndex = (part: string): boolean => /^\+?\d+$/.test(part);

/** The name and the value of `[name=value]`. */
export function splitListIndex(part: string): [name: string, value: string] {
  const inner = part.replace(/^\[/, "").replace(/\]$/, "");
  const at = inner.indexOf("=");
  if (at < 0) {
    throw new KustomizeError(
      "list path element must contain fieldName=fieldValue for element to match",
    );
  }
  return [inner.slice(0, at), inner.slice(at + 1)];
}

function step(node: YamlNode, part: string, create?: NodeKind): YamlNode | undefined {
  if (/^[-+]?\d+$/.test(part)) {
    const index = Number(part);
    if (index < 0) throw new KustomizeError(`array index ${index} cannot be negative`);
    return elements(node)[index];
  }
  if (part === "-") return elements(node).at(-1);
  if (part === "*") throw new KustomizeError("wildcard is not supported in PathGetter");
  if (isListIndex(part)) return element(node, part, create);
  const found = getField(node, part);
  if (found !== undefined || create === undefined || node.tag === tags.null) return found;
  return setField(node, part, new YamlNode({ kind: create }));
}

function element(node: YamlNode, part: string, create?: NodeKind): YamlNode | undefined {
  const [name, value] = splitListIndex(part);
  expectKind(node, "sequence");
  const found = node.content.find((item) =>
    name === "" ? item.value === value : member(item, name)?.value === value,
  );
  if (found !== undefined || create === undefined) return found;
  const made = name === "" ? scalarNode(value) : mappingNode();
  if (name !== "") made.content.push(scalarNode(name), scalarNode(value));
  node.content.push(made);
  return made;
}

/** The items of a sequence; throws where the node is something else. */
export function elements(node: YamlNode): readonly YamlNode[] {
  expectKind(node, "sequence");
  return node.content;
}

/** Sets a key of a mapping; a value that replaces another keeps that one's quoting. */
export function setField(
  node: YamlNode,
  name: string,
  value: YamlNode | undefined,
): YamlNode | undefined {
  if (value === undefined || (value.tag === tags.null && !value.keep)) {
    clearField(node, name);
    return undefined;
  }
  quoteIfNeeded(value);
  const field = getField(node, name);
  if (field !== undefined) {
    value.style = field.style;
    field.assign(value);
    return field;
  }
  node.content.push(scalarNode(name), value);
  return value;
}

/** Replaces a scalar, which keeps its quoting. */
export function setScalar(node: YamlNode, value: YamlNode): void {
  quoteIfNeeded(value);
  expectKind(node, "scalar");
  if (isMissing(value)) return;
  value.style = node.style;
  node.assign(value);
}

function quoteIfNeeded(value: YamlNode): void {
  if (isString(value) && value.style === "plain" && isOldNonString(value.value)) {
    value.style = "double";
  }
}

/** Removes a key of a mapping. */
export function clearField(node: YamlNode, name: string): void {
  expectKind(node, "mapping");
  for (let i = 0; i < node.content.length; i += 2) {
    if (node.content[i]?.value === name) {
      node.content.splice(i, 2);
      return;
    }
  }
}
