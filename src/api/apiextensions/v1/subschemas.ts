import type { JSONSchemaProps } from "./json-schema-props.ts";

/** Whether something holds of a schema or of any schema in it. */
export function schemaHas(
  schema: JSONSchemaProps | undefined,
  holds: (schema: JSONSchemaProps) => boolean,
): boolean {
  if (schema === undefined) return false;
  return holds(schema) || subschemas(schema).some((inner) => schemaHas(inner, holds));
}

/** The schema of all items; undefined where each has its own, or none has. */
export function itemsOf({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return isSchema(items) ? items : undefined;
}

/** The schema of members that are not named; undefined where there is none. */
export function additionalOf({
  additionalProperties,
}: JSONSchemaProps): JSONSchemaProps | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}

/** The schema of a member of an object. */
export function propertyOf(
  { properties }: JSONSchemaProps,
  name: string,
): JSONSchemaProps | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

export const isSchema = (value: unknown): value is JSONSchemaProps =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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
  ].filter(isSchema);
}
