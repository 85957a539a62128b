/**
 * A schema of JSON values that is known only at run time: OpenAPI 3 with the extensions by which
 * Kubernetes keeps, merges and completes what it describes.
 */
export interface JsonSchema {
  /** Several where a value may be of any of them. */
  readonly type?: string | readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  readonly default?: unknown;
  readonly nullable?: boolean | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly minimum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly multipleOf?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minLength?: number | undefined;
  readonly pattern?: string | undefined;
  readonly maxItems?: number | undefined;
  readonly minItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly maxProperties?: number | undefined;
  readonly minProperties?: number | undefined;
  readonly required?: readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly items?: JsonSchema | readonly JsonSchema[] | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly additionalProperties?: JsonSchema | boolean | undefined;
  readonly allOf?: readonly JsonSchema[] | undefined;
  readonly oneOf?: readonly JsonSchema[] | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly not?: JsonSchema | undefined;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  readonly "x-kubernetes-embedded-resource"?: boolean | undefined;
  readonly "x-kubernetes-int-or-string"?: boolean | undefined;
  readonly "x-kubernetes-list-map-keys"?: readonly string[] | undefined;
  readonly "x-kubernetes-list-type"?: string | undefined;
  readonly "x-kubernetes-map-type"?: string | undefined;
  readonly "x-kubernetes-validations"?: readonly object[] | undefined;
}

/** The schema of all items; undefined where each has its own, or none has. */
export function itemsOf<S extends object>({
  items,
}: {
  readonly items?: S | readonly S[] | undefined;
}): S | undefined {
  return isSchema<S>(items) ? items : undefined;
}

/** The schema of members that are not named; undefined where there is none. */
export function additionalOf<S extends object>({
  additionalProperties,
}: {
  readonly additionalProperties?: S | boolean | undefined;
}): S | undefined {
  return isSchema<S>(additionalProperties) ? additionalProperties : undefined;
}

/** The schema of a member of an object that is named. */
export function propertyOf<S extends object>(
  { properties }: { readonly properties?: Readonly<Record<string, S>> | undefined },
  name: string,
): S | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Whether it is one schema: no list of them, and no truth value instead of one. */
export const isSchema = <S extends object>(value: unknown): value is S =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The types that a value may have; none: any. */
export function typesOf({ type }: JsonSchema): readonly string[] {
  if (typeof type === "object") return type;
  return type === undefined || type === "" ? [] : [type];
}

/** What every object of the API says of itself, whatever its schema. */
export const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The schema of an object of the API: one that has metadata. */
export const asResource = <S extends JsonSchema>(schema: S): S =>
  schema["x-kubernetes-embedded-resource"]
    ? schema
    : { ...schema, "x-kubernetes-embedded-resource": true };
