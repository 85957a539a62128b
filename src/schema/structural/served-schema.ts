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
  return {
    ...schema,
    ...(isSchema<JsonSchema>(items) && { items: change(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, change(each)]),
      ),
    }),
    ...(isSchema<JsonSchema>(additionalProperties) && {
      additionalProperties: change(additionalProperties),
    }),
    ...(allOf && { allOf: allOf.map(change) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(oneOf && { oneOf: oneOf.map(change) }),
    ...(not && { not: change(not) }),
  };
}
