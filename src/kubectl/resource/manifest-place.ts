import { readTree, type YamlTree } from "../../schema/yaml/yaml-tree.ts";

/** Where an object stands in a manifest. */
export interface ManifestPlace {
  /** The whole manifest. */
  readonly manifest: string;
  /** Where the document with the object begins in it. */
  readonly start: number;
  readonly document: string;
  /** The way from the document to the object: that of an item in a list. */
  readonly path: readonly PathPart[];
}

/** A key, an index, the keys by which an item is found, or `*` for the first item that has the rest. */
export type PathPart = string | number | ItemKeys | typeof anyItem;
interface ItemKeys {
  readonly keys: ReadonlyMap<string, string>;
}

const anyItem = Symbol("any item");

/** A field in a manifest, counted from one; the last field before it that exists if it is missing. */
export interface FieldPlace {
  readonly line: number;
  readonly column: number;
  readonly isThere: boolean;
}

/** Finds a field of an object in its manifest, which may be YAML or JSON; undefined if not even the object is found. */
export function fieldPlace(
  { manifest, start, document, path }: ManifestPlace,
  field: readonly PathPart[],
): FieldPlace | undefined {
  const root = treeOf(document);
  const object = root && walk(root, path);
  if (!object?.isWhole) return undefined;
  const found = walk(object.tree, field, object.at);
  const before = manifest.slice(0, start + found.at);
  const line = before.split("\n").length;
  return { line, column: before.length - before.lastIndexOf("\n"), isThere: found.isWhole };
}

/** The parts of a path as messages of servers write it: `spec.containers[0].ports[name="web"].port`. */
export function parsePath(text: string): PathPart[] {
  return [...text.matchAll(/\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\]|([^.[\]]+)/g)].map(
    ([, inner, name = ""]) => (inner === undefined ? name : partInBrackets(inner)),
  );
}

/** A path without the indices of lists. */
export const parseBarePath = (text: string): PathPart[] =>
  text.split(".").flatMap((name) => [anyItem, name]);

function partInBrackets(text: string): PathPart {
  if (/^\d+$/.test(text)) return Number(text);
  const pairs = [...text.matchAll(/([^=,"]*)=("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  if (pairs.length === 0) return unquoted(text);
  return { keys: new Map(pairs.map(([, key = "", value = ""]) => [key, unquoted(value)])) };
}

function unquoted(text: string): string {
  try {
    return text.startsWith('"') ? String(JSON.parse(text)) : text;
  } catch {
    return text;
  }
}

function treeOf(text: string): YamlTree | undefined {
  try {
    return readTree(text);
  } catch {
    return undefined;
  }
}

interface Walk {
  readonly tree: YamlTree;
  /** Where the last field that was found begins: its key. */
  readonly at: number;
  readonly isWhole: boolean;
}

function walk(root: YamlTree, path: readonly PathPart[], from = root.at): Walk {
  const tree = root.kind === "alias" ? root.target : root;
  const [part, ...rest] = path;
  if (part === undefined) return { tree, at: from, isWhole: true };
  if (part === anyItem) {
    if (tree.kind !== "sequence") return walk(tree, rest, from);
    const walks = tree.children.map((item) => walk(item, rest));
    return walks.find(({ isWhole }) => isWhole) ?? { tree, at: from, isWhole: false };
  }
  const next = step(tree, part);
  return next ? walk(next.tree, rest, next.at) : { tree, at: from, isWhole: false };
}

function step(
  tree: YamlTree,
  part: Exclude<PathPart, typeof anyItem>,
): Pick<Walk, "tree" | "at"> | undefined {
  if (tree.kind === "mapping") {
    const at = keyIndex(tree.children, String(part));
    const [key, value] = tree.children.slice(at, at + 2);
    return at >= 0 && key && value ? { tree: value, at: beginOf(key) } : undefined;
  }
  if (tree.kind !== "sequence" || typeof part === "string") return undefined;
  const item =
    typeof part === "number"
      ? tree.children[part]
      : tree.children.find((one) => hasKeys(one, part.keys));
  return item && { tree: item, at: beginOf(item) };
}

/** Trees of quoted scalars begin behind the quote. */
const beginOf = (tree: YamlTree): number =>
  tree.kind === "scalar" && (tree.style === "single" || tree.style === "double")
    ? tree.at - 1
    : tree.at;

const keyIndex = (children: readonly YamlTree[], name: string): number =>
  children.findIndex((key, i) => i % 2 === 0 && key.kind === "scalar" && key.text === name);

/** Whether an item has the values of these keys; the key of a value that is an item itself is empty. */
function hasKeys(item: YamlTree, keys: ReadonlyMap<string, string>): boolean {
  return [...keys].every(([key, value]) => {
    const found = key === "" ? item : step(item, key)?.tree;
    return found?.kind === "scalar" && found.text === value;
  });
}
