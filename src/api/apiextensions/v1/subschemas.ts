import { isSchema } from "../../../schema/structural/json-schema.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";

export {
  additionalOf,
  isSchema,
  itemsOf,
  propertyOf,
} from "../../../schema/structural/json-schema.ts";

/** Whether something holds of a schema or of any schema in it. */
export function schemaHas(
  schema: JSONSchemaProps | undefined,
  holds: (schema: JSONSchemaProps) => boolean,
): boolean {
  if (schema === undefined) return false;
  return holds(schema) || subschemas(schema).some((inner) => schemaHas(inner, holds));
}

/** All that stands in a schema, in upstream's order. */
function subschemas(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  const { items, allOf = [], anyOf = [], oneOf = [], not, additionalItems } = schema;
  const inMap = (map: Readonly<Record<string, unknown>> | undefined) => Object.values(map ?? {});
  return [
    ...(Array.isArray(items) ? items : [items]),
    ...allOf,
    ...anyOf,
    ...oneOf,
    not,
    ...inMap(schema.properties),
    schema.additionalProperties,
    ...inMap(schema.patternProperties),
    additionalItems,
    ...inMap(schema.definitions),
    ...inMap(schema.dependencies),
  ].filter(isSchema<JSONSchemaProps>);
}
