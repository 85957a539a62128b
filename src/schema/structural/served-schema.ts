import { isKnownFormat } from "./formats.ts";
import { isSchema, type JsonSchema, typesOf } from "./json-schema.ts";

/**
 * A schema as objects are validated by it: what is a whole number or a text has both types, and
 * formats that say nothing here are gone.
 */
export function servedSchema(schema: JsonSchema): JsonSchema {
  const type = schema["x-kubernetes-int-or-string"] ? ["integer", "string"] : schema.type;
  const served = mapSchemas({ ...schema, type }, servedSchema);
  const types = typesOf(served);
  const known = isKnownFormat(served.format ?? "", types.length === 1 ? (types[0] ?? "") : "");
  return known ? served : { ...served, format: undefined };
}

/** A schema whose parts are what a function makes of them. */
export function mapSchemas(
  schema: JsonSchema,
  change: (schema: JsonSchema) => JsonSchema,
): JsonSchema {
  const { items, properties, additionalProperties, allOf, anyOf, oneOf, not } = schema;
  // Members keep their places. A spread for each of them would take twice as long.
  const mapped: { -readonly [Name in keyof JsonSchema]: JsonSchema[Name] } = { ...schema };
  if (isSchema<JsonSchema>(items)) mapped.items = change(items);
  if (properties) mapped.properties = mapEach(properties, change);
  if (isSchema<JsonSchema>(additionalProperties))
    mapped.additionalProperties = change(additionalProperties);
  if (allOf) mapped.allOf = allOf.map(change);
  if (anyOf) mapped.anyOf = anyOf.map(change);
  if (oneOf) mapped.oneOf = oneOf.map(change);
  if (not) mapped.not = change(not);
  return mapped;
}

function mapEach<T>(
  named: Readonly<Record<string, T>>,
  change: (value: T) => T,
): Readonly<Record<string, T>> {
  const mapped = { ...named };
  for (const name of Object.keys(mapped)) mapped[name] = change(mapped[name] as T);
  return mapped;
}
