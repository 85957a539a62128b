import { readTree, type YamlTree } from "../../../schema/yaml/yaml-tree.ts";
import { KustomizeError, prefixed } from "../kustomize-error.ts";
import { lookup } from "./lookup.ts";
import { resolvedTag } from "./resolve-node.ts";
import { yamlFailure } from "./yaml-message.ts";
import { member, membersOf, present, tags, YamlNode } from "./yaml-node.ts";

/** Reads the first document of a text; undefined where it holds nothing. */
export function parseNode(text: string): YamlNode | undefined {
  let tree: YamlTree | undefined;
  try {
    tree = readTree(text);
  } catch (cause) {
    throw yamlFailure(text, cause, 3);
  }
  return tree === undefined ? undefined : nodeOf(tree, new Set());
}

/** Reads all documents of a file, without those that are empty; a single list is taken apart. */
export function readNodes(text: string): YamlNode[] {
  const documents = splitDocuments(text.replaceAll("\r\n", "\n"));
  const nodes: YamlNode[] = [];
  for (const document of documents) {
    const root = present(parseDocument(document));
    if (root === undefined) continue;
    checkMetadata(root);
    const kind = member(root, "kind")?.value;
    const wraps = kind === "ResourceList" || kind === "List";
    const items = member(root, "items");
    if (documents.length === 1 && wraps && (items ?? member(root, "functionConfig"))) {
      nodes.push(...(items?.content ?? []));
    } else {
      nodes.push(root);
    }
  }
  return nodes;
}

function parseDocument(document: string): YamlNode | undefined {
  try {
    return parseNode(document);
  } catch (cause) {
    throw prefixed("MalformedYAMLError", cause);
  }
}

/** Metadata is looked into early, so that something else than a mapping is found there. */
function checkMetadata(root: YamlNode): void {
  if (root.kind === "mapping") lookup(root, ["metadata"]);
}

function splitDocuments(text: string): string[] {
  const documents: string[] = [];
  let from = 0;
  for (const match of text.matchAll(/\n---.*\n/g)) {
    const after = match[0].slice(4).trim();
    if (after !== "" && !after.startsWith("#")) {
      throw new KustomizeError(`invalid document separator: ${match[0].trim()}`);
    }
    documents.push(`${text.slice(from, match.index)}\n`);
    from = match.index + match[0].length;
  }
  return [...documents, text.slice(from)];
}

function nodeOf(tree: YamlTree, open: Set<YamlTree>): YamlNode {
  if (tree.kind === "alias") {
    if (open.has(tree.target)) {
      throw new KustomizeError(`yaml: anchor '${tree.anchor}' value contains itself`);
    }
    return nodeOf(tree.target, open);
  }
  if (tree.kind === "scalar") return scalarOf(tree);
  open.add(tree);
  const content = tree.children.map((child) => nodeOf(child, open));
  open.delete(tree);
  const style = tree.flow ? "flow" : "plain";
  const tag = tree.tag === "" ? (tree.kind === "mapping" ? tags.map : tags.seq) : tree.tag;
  const node = new YamlNode({ kind: tree.kind, tag, style, content });
  if (tree.kind === "mapping") resolveMerges(node);
  return node;
}

function scalarOf(tree: Extract<YamlTree, { kind: "scalar" }>): YamlNode {
  const { style, text } = tree;
  const tagged = tree.tag !== "" && tree.tag !== "!";
  const tag = style === "plain" ? resolvedTag(text) : tags.string;
  const node = new YamlNode({ kind: "scalar", tag: tagged ? tree.tag : tag, value: text, style });
  node.tagged = tagged;
  return node;
}

/** Replaces `<<` by what it merges; the mapping's own members win, then those that are named first. */
function resolveMerges(node: YamlNode): void {
  const merge = membersOf(node).filter(([key]) => key.tag === tags.merge);
  if (merge.length === 0) return;
  if (merge.length > 1) throw new KustomizeError("duplicate merge key");
  const own = membersOf(node).filter(([key]) => key.tag !== tags.merge);
  node.content = own.flat();
  for (const [, value] of merge) {
    for (const source of mergedMappings(value)) {
      for (const [key, merged] of membersOf(source)) {
        if (member(node, key.value) === undefined) node.content.push(key.copy(), merged.copy());
      }
    }
  }
}

function mergedMappings(value: YamlNode): YamlNode[] {
  if (value.kind === "mapping") return [value];
  if (value.kind === "sequence") {
    return value.content.flatMap((item) => {
      if (item.kind === "sequence") {
        throw new KustomizeError("invalid map merge: received a nested sequence");
      }
      return mergedMappings(item);
    });
  }
  throw new KustomizeError("map merge requires map or sequence of maps as the value");
}
