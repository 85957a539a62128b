import { isMap } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { additionalOf, itemsOf, type JsonSchema, propertyOf } from "./json-schema.ts";

/**
 * Fills in what a schema says of members that are absent, or null where null is not allowed, in
 * place: of an object first, then of what it holds, defaults included.
 */
export function fillDefaults(value: unknown, schema: JsonSchema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) fillItems(value, itemsOf(schema));
  if (!isMap(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (hasDefault(property) && (!Object.hasOwn(value, name) || isUnwanted(value[name], property)))
      setMember(value, name, structuredClone(property.default));
  for (const name of Object.keys(value)) {
    const property = propertyOf(schema, name);
    const inner = property ?? additionalOf(schema);
    if (!property && inner && isUnwanted(value[name], inner))
      setMember(value, name, structuredClone(inner.default ?? null));
    fillDefaults(value[name], inner);
  }
}

function fillItems(items: unknown[], schema: JsonSchema | undefined): void {
  for (const [i, item] of items.entries()) {
    if (schema && isUnwanted(item, schema)) items[i] = structuredClone(schema.default ?? null);
    fillDefaults(items[i], schema);
  }
}

const hasDefault = (schema: JsonSchema): boolean =>
  schema.default !== undefined && schema.default !== null;
const isUnwanted = (value: unknown, schema: JsonSchema): boolean =>
  value === null && !schema.nullable;
