import { goRegexp } from "../../../schema/regexp/go-regexp.ts";
import { KustomizeError } from "../kustomize-error.ts";
import {
  elements,
  getField,
  isIndex,
  isListIndex,
  partKind,
  setField,
  splitListIndex,
} from "./lookup.ts";
import { parseNode } from "./read-nodes.ts";
import { writeNode } from "./write-node.ts";
import { mappingNode, member, type NodeKind, scalarNode, YamlNode } from "./yaml-node.ts";

/**
 * All nodes at a path: names, indexes, `*` for all items, `[name=expression]`. Undefined where a part
 * is missing; with `create`, missing parts are made.
 */
export function matchPath(
  node: YamlNode,
  path: readonly string[],
  create?: NodeKind,
): YamlNode[] | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return [node];
  if (isIndex(part)) return matchIndex(node, path, create);
  if (isListIndex(part)) return matchItems(node, path, create);
  if (part === "*") return collect(elements(node), rest, create);
  return matchField(node, path, create);
}

function collect(
  nodes: readonly YamlNode[],
  rest: readonly string[],
  create?: NodeKind,
): YamlNode[] | undefined {
  const found = nodes.map((node) => matchPath(node, rest, create));
  return found.some((match) => match !== undefined)
    ? found.flatMap((match) => match ?? [])
    : undefined;
}

function matchField(
  node: YamlNode,
  [part = "", ...rest]: readonly string[],
  create?: NodeKind,
): YamlNode[] | undefined {
  let field = getField(node, part);
  if (field === undefined) {
    if (create === undefined) return undefined;
    field = new YamlNode({ kind: partKind(rest[0] ?? "", create) });
    setField(node, part, field);
  }
  if (field.kind === "scalar" && rest.length > 0) {
    const document = parseNode(field.value);
    if (document === undefined) return undefined;
    return matchPath(document, rest, create);
  }
  return matchPath(field, rest, create);
}

function matchIndex(
  node: YamlNode,
  [part = "", ...rest]: readonly string[],
  create?: NodeKind,
): YamlNode[] | undefined {
  const index = Number(part);
  const items = elements(node);
  if (items.length === index && create !== undefined) {
    node.content.push(new YamlNode({ kind: partKind(rest[0] ?? "", create) }));
  }
  const item = node.content[index];
  if (item === undefined) {
    throw new KustomizeError(`index ${index} specified but only ${items.length} elements found`);
  }
  return matchPath(item, rest, create);
}

function matchItems(
  node: YamlNode,
  path: readonly string[],
  create?: NodeKind,
): YamlNode[] | undefined {
  const [part = "", ...rest] = path;
  const [name, pattern] = splitListIndex(part);
  const expression = goRegexp(pattern);
  const matched = elements(node).filter((item) => {
    const value = name === "" ? item : member(item, name);
    return value !== undefined && expression.test(writeNode(value).trim());
  });
  const found = name === "" ? matched : (collect(matched, rest, create) ?? []);
  if (found.length > 0) return found;
  if (create === undefined) return undefined;
  const made = name === "" ? scalarNode(pattern) : mappingNode();
  if (name !== "") made.content.push(scalarNode(name), scalarNode(pattern));
  node.content.push(made);
  return matchItems(node, path, create);
}
