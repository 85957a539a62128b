import type { MergeSchema, SchemaSource } from "../config/merge-schema.ts";
import { setField, setScalar } from "./lookup.ts";
import { findElement, setElement } from "./set-element.ts";
import { isEmpty, member, present, scalarNode, YamlNode } from "./yaml-node.ts";

/** Two nodes that belong together; one of them may be missing. */
export interface Pair {
  readonly dest: YamlNode | undefined;
  readonly patch: YamlNode | undefined;
  readonly schema: MergeSchema | undefined;
  readonly schemas: SchemaSource;
}

type Merge = (pair: Pair) => YamlNode | undefined;

/**
 * Merges two lists by the keys of their items: what is new comes first, and what the patch names
 * takes the patch's order.
 */
export function mergeLists(
  pair: Pair & { readonly dest: YamlNode },
  merge: Merge,
): YamlNode | undefined {
  const { dest, patch, schema, schemas } = pair;
  const keys = schema?.keys.length ? schema.keys : [""];
  const values = keyValues([patch, dest], keys);
  if (keys.length > 1) unify(values);
  const merged = new YamlNode({ kind: "sequence" });
  let used: Keyed = { keys: [], values: [] };
  for (const entry of values) {
    used = usedKeys(values, { keys, values: entry });
    const own = usedKeys([entry], used);
    const item = merge({
      dest: findElement(dest, own.keys, own.values),
      patch: findElement(patch, own.keys, own.values),
      schema: schema?.items(),
      schemas,
    });
    if (item === undefined || isGone(item)) {
      setElement(dest, used);
    } else {
      addKeys(item, used);
      setElement(merged, { ...used, element: item });
    }
  }
  if (values.length === 0) return dest;
  for (const item of dest.content) append(merged, item, used.keys);
  return merged;
}

interface Keyed {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

function keyValues(lists: readonly (YamlNode | undefined)[], keys: readonly string[]): string[][] {
  const values = new Map<string, string[]>();
  for (const list of lists) {
    for (const item of list?.content ?? []) {
      const entry = keys.map((key) => {
        if (key === "") return item.value;
        const field = member(item, key);
        return field === undefined || isEmpty(field) ? "" : field.value;
      });
      const id = JSON.stringify(entry);
      if (!values.has(id)) values.set(id, entry);
    }
  }
  return [...values.values()];
}

/** Where one item leaves out a key that another has, and all else is the same, both are one. */
function unify(values: string[][]): void {
  for (const i of values.keys()) {
    for (const j of values.keys()) {
      const both = unified(values[i] ?? [], values[j] ?? []);
      if (both !== undefined) {
        values[i] = both;
        values[j] = both;
      }
    }
  }
}

function unified(a: readonly string[], b: readonly string[]): string[] | undefined {
  let shared = false;
  const both: string[] = [];
  for (const [i, left] of a.entries()) {
    const right = b[i] ?? "";
    if (left === right) shared = true;
    else if (left !== "" && right !== "") return undefined;
    both.push(left === "" ? right : left);
  }
  return shared ? both : undefined;
}

/** Only keys that some item has count; all of them where none has any. */
function usedKeys(all: readonly (readonly string[])[], { keys, values }: Keyed): Keyed {
  const used = new Set(keys.filter((_, i) => all.some((entry) => (entry[i] ?? "") !== "")));
  if (used.size === 0) return { keys, values };
  return {
    keys: keys.filter((key) => used.has(key)),
    values: values.filter((value, i) => value !== "" || used.has(keys[i] ?? "")),
  };
}

function addKeys(item: YamlNode, { keys, values }: Keyed): void {
  for (const [i, key] of keys.entries()) {
    const value = values[i] ?? "";
    if (value === "" || member(item, key) !== undefined) continue;
    if (key === "") setScalar(item, scalarNode(value));
    else setField(item, key, scalarNode(value));
  }
}

function append(list: YamlNode, item: YamlNode, keys: readonly string[]): void {
  if (keys[0] === "") {
    setElement(list, { keys: [""], values: [item.value], element: item });
    return;
  }
  const values: string[] = [];
  for (const key of keys) {
    const field = member(item, key);
    if (field === undefined) list.content.push(item);
    else values.push(field.value);
  }
  if (keys.length > 1) setElement(list, { keys, values });
  setElement(list, { keys, values, element: item });
}

/** Whether an item of a list has been deleted. */
const isGone = (node: YamlNode): boolean =>
  present(node) === undefined || (node.kind === "mapping" && isEmpty(node));
