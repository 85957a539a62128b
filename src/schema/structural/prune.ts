import { isMap } from "../json/json-value.ts";
import { compareUtf8 } from "../values/utf8-order.ts";
import {
  additionalOf,
  asResource,
  itemsOf,
  type JsonSchema,
  metaFields,
  propertyOf,
} from "./json-schema.ts";

/**
 * Removes from an object of the API what its schema does not name, in place, and gives the paths of
 * what was removed. Its metadata is left alone.
 */
export function pruneResource(value: unknown, schema: JsonSchema | undefined): readonly string[] {
  return prune(value, asResource(schema ?? {}));
}

/** The same for any value. */
export function prune(value: unknown, schema: JsonSchema | undefined): readonly string[] {
  const removed: string[] = [];
  pruneAt(value, schema, { path: "", removed });
  return removed.sort(compareUtf8);
}

/** Removes members that are null where null is not allowed and nothing else stands for them, in place. */
export function pruneNulls(value: unknown, schema: JsonSchema | undefined): void {
  if (Array.isArray(value)) for (const item of value) pruneNulls(item, schema && itemsOf(schema));
  if (!isMap(value)) return;
  for (const name of Object.keys(value)) {
    const inner = schema && memberOf(schema, name);
    if (value[name] === null && inner && !inner.nullable && isAbsent(inner.default))
      delete value[name];
    else pruneNulls(value[name], inner);
  }
}

const memberOf = (schema: JsonSchema, name: string): JsonSchema | undefined =>
  propertyOf(schema, name) ?? additionalOf(schema);
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

interface Place {
  readonly path: string;
  readonly removed: string[];
}

const member = ({ path, removed }: Place, name: string): Place => ({
  path: path === "" ? name : `${path}.${name}`,
  removed,
});
const item = ({ path, removed }: Place, i: number): Place => ({ path: `${path}[${i}]`, removed });

function pruneAt(value: unknown, schema: JsonSchema | undefined, at: Place): void {
  if (schema?.["x-kubernetes-preserve-unknown-fields"]) {
    pruneKnown(value, schema, at);
    return;
  }
  if (Array.isArray(value))
    for (const [i, each] of value.entries()) pruneAt(each, schema && itemsOf(schema), item(at, i));
  if (!isMap(value)) return;
  for (const name of Object.keys(value)) {
    if (schema?.["x-kubernetes-embedded-resource"] && metaFields.has(name)) continue;
    const property = schema && propertyOf(schema, name);
    if (property) pruneAt(value[name], property, member(at, name));
    else if (schema?.additionalProperties !== undefined)
      pruneAt(value[name], additionalOf(schema), member(at, name));
    else {
      at.removed.push(member(at, name).path);
      delete value[name];
    }
  }
}

/** Removes nothing here, but what is unknown within members that have a schema. */
function pruneKnown(value: unknown, schema: JsonSchema | undefined, at: Place): void {
  if (schema === undefined) return;
  if (Array.isArray(value))
    for (const [i, each] of value.entries()) pruneKnown(each, itemsOf(schema), item(at, i));
  if (!isMap(value)) return;
  for (const [name, held] of Object.entries(value)) {
    if (schema["x-kubernetes-embedded-resource"] && metaFields.has(name)) continue;
    const property = propertyOf(schema, name);
    if (property) pruneAt(held, property, member(at, name));
    else if (schema.additionalProperties !== undefined)
      pruneAt(held, additionalOf(schema), member(at, name));
  }
}
