import { goJson } from "../json/go-json.ts";
import { isMap, type JsonMap } from "../json/json-value.ts";
import type { At } from "../language/report.ts";
import { sortedKeys } from "../values/utf8-order.ts";
import { additionalOf, itemsOf, type JsonSchema, propertyOf } from "./json-schema.ts";

/** Reports items of sets and of lists by keys that are there twice. */
export function validateListTypes(value: unknown, schema: JsonSchema | undefined, at: At): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) validateList(value, schema, at);
  if (!isMap(value)) return;
  const additional = additionalOf(schema);
  for (const [name, held] of Object.entries(value)) {
    // Upstream looks at members that are named by the schema of the others, too.
    if (additional) validateListTypes(held, additional, at.key(name));
    const property = propertyOf(schema, name);
    if (property) validateListTypes(held, property, at.child(name));
  }
}

function validateList(items: readonly unknown[], schema: JsonSchema, at: At): void {
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") for (const i of repeated(items)) at.index(i).duplicate("", items[i]);
  if (type === "map") validateKeys(items, schema["x-kubernetes-list-map-keys"] ?? [], at);
  const inner = itemsOf(schema);
  if (inner) for (const [i, item] of items.entries()) validateListTypes(item, inner, at.index(i));
}

function validateKeys(items: readonly unknown[], names: readonly string[], at: At): void {
  const odd = items.findIndex((item) => item !== null && !isMap(item));
  if (odd >= 0) {
    at.index(odd).invalid("", items[odd], "must be an object for an array of list-type map");
    return;
  }
  const keys = items.map((item) => keyOf(item as JsonMap | null, names));
  for (const i of repeated(keys)) at.index(i).duplicate("", keys[i]);
}

function keyOf(item: JsonMap | null, names: readonly string[]): JsonMap {
  const held = names.filter((name) => item !== null && Object.hasOwn(item, name));
  return Object.fromEntries(held.map((name) => [name, item?.[name]]));
}

/** Where each value that is there more than once stands for the second time. */
function repeated(items: readonly unknown[]): readonly number[] {
  const times = new Map<string, number>();
  return items.flatMap((item, i) => {
    const text = textOf(item);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [i] : [];
  });
}

/** A text that is the same for values that are. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  if (!isMap(value)) return goJson(value ?? null);
  return `{${sortedKeys(value)
    .map((name) => `${goJson(name)}:${textOf(value[name])}`)
    .join(",")}}`;
}
