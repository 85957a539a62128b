import { isMap } from "../json/json-value.ts";
import { itemsOf, type JsonSchema } from "./json-schema.ts";

/** The items of a list by their keys. */
export interface KeyedItems {
  /** The first item that has the keys of another one; undefined if there is none, or it has no keys. */
  find(other: unknown): unknown;
}

/** The items of a list, if its schema gives them keys: items of other lists are none that can be told. */
export function keyedItems(schema: JsonSchema, items: readonly unknown[]): KeyedItems {
  const names = schema["x-kubernetes-list-map-keys"] ?? [];
  const isKeyed =
    schema["x-kubernetes-list-type"] === "map" && itemsOf(schema) !== undefined && names.length > 0;
  let byKey: Map<string, unknown> | undefined;
  return {
    find(other) {
      const key = isKeyed ? keyOf(other, names) : undefined;
      if (key === undefined) return undefined;
      byKey ??= indexed(items, names);
      return byKey.get(key);
    },
  };
}

function indexed(items: readonly unknown[], names: readonly string[]): Map<string, unknown> {
  const byKey = new Map<string, unknown>();
  for (const item of items) {
    const key = keyOf(item, names);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/** A text that is the same for items of the same keys; undefined where one is missing, or no scalar. */
function keyOf(item: unknown, names: readonly string[]): string | undefined {
  if (!isMap(item)) return undefined;
  const parts: string[] = [];
  for (const name of names) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (typeof value === "string") parts.push(JSON.stringify(value));
    else if (value === undefined || typeof value === "object") return undefined;
    else parts.push(String(value));
  }
  return parts.join();
}
