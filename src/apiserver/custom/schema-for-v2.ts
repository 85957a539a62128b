import { isSchema, type JsonSchema } from "../../schema/structural/json-schema.ts";
import { mapSchemas } from "../../schema/structural/served-schema.ts";

/**
 * A schema in OpenAPI 2: without junctors and defaults, and without the types of values that may be null or have
 * unknown members, because clients would reject those.
 */
export function schemaForV2(schema: JsonSchema): JsonSchema {
  const { allOf: _, oneOf: __, anyOf: ___, not: ____, default: _____, nullable, ...rest } = schema;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const { items, properties, ...bare } = rest;
  const kept: { -readonly [Name in keyof JsonSchema]: JsonSchema[Name] } = bare;
  if (!nullable && !isOpen) {
    if (items !== undefined) kept.items = items;
    if (properties !== undefined) kept.properties = properties;
  }
  if (nullable || (isOpen && kept.type === "object") || (kept.type === "array" && !kept.items))
    delete kept.type;
  const required = requiredIn(kept);
  if (required === undefined) delete kept.required;
  else kept.required = required;
  return mapSchemas(kept, schemaForV2);
}

/** Nullable fields are not required in OpenAPI 2: clients would reject null. */
function requiredIn({
  required,
  properties = {},
  additionalProperties,
}: JsonSchema): readonly string[] | undefined {
  if (isSchema<JsonSchema>(additionalProperties) && additionalProperties.nullable) return undefined;
  const kept = required?.filter((name) => !properties[name]?.nullable);
  return kept?.length === 0 ? undefined : kept;
}
