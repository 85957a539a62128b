import type { JSONSchemaProps } from "../../api/apiextensions/v1/json-schema-props.ts";
import type { CheckedKind } from "./types-to-check.ts";

/** The schemas of a version, as `/openapi/v3` publishes them. */
export interface PublishedSchemas {
  readonly components?: { readonly schemas?: Readonly<Record<string, PublishedSchema>> };
}

interface PublishedSchema extends JSONSchemaProps {
  readonly "x-kubernetes-group-version-kind"?: readonly CheckedKind[];
}

const refPrefix = "#/components/schemas/";

/** The schema of a kind, with the schemas that it refers to in it; undefined if it is not published. */
export function publishedSchema(
  { components }: PublishedSchemas,
  { group, version, kind }: CheckedKind,
): JSONSchemaProps | undefined {
  const schemas = components?.schemas ?? {};
  const root = Object.entries(schemas).find(([, schema]) =>
    schema["x-kubernetes-group-version-kind"]?.some(
      (one) => one.group === group && one.version === version && one.kind === kind,
    ),
  );
  return root && complete(root[1], { schemas, within: new Set([root[0]]) });
}

interface Completion {
  readonly schemas: Readonly<Record<string, PublishedSchema>>;
  /** The schemas that this one is a part of. */
  readonly within: ReadonlySet<string>;
}

function complete(schema: JSONSchemaProps, completion: Completion): JSONSchemaProps {
  const { schemas, within } = completion;
  const name = referenceOf(schema)?.slice(refPrefix.length);
  // A schema that contains itself is known to be an object, no more.
  if (name !== undefined && within.has(name)) return { type: "object" };
  const found = name === undefined ? schema : schemas[name];
  // A value whose schema is missing is not seen by expressions.
  if (!found) return {};
  const inner: Completion =
    name === undefined ? completion : { schemas, within: withName(within, name) };
  const { properties, items, additionalProperties, format, ...rest } = found;
  return {
    ...rest,
    format,
    ...(format === "int-or-string" && { "x-kubernetes-int-or-string": true }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, complete(value, inner)]),
      ),
    }),
    ...(isOne(items) && { items: complete(items, inner) }),
    ...(isOne(additionalProperties) && {
      additionalProperties: complete(additionalProperties, inner),
    }),
  };
}

/** A reference may be wrapped in `allOf`, which keeps the description beside it. */
function referenceOf({ $ref, allOf = [] }: JSONSchemaProps): string | undefined {
  if ($ref !== undefined) return $ref;
  return allOf.map(referenceOf).find((found) => found !== undefined);
}

const isOne = (value: unknown): value is JSONSchemaProps =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const withName = (names: ReadonlySet<string>, name: string): ReadonlySet<string> =>
  new Set([...names, name]);
