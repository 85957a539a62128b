import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { CustomResourceDefinitionVersion } from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import type { JSONSchemaProps } from "../../api/apiextensions/v1/json-schema-props.ts";
import { validateStructural } from "../../api/apiextensions/v1/structural-schema.ts";
import { ListMeta } from "../../api/meta/v1/list-meta.ts";
import { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import { metadataDoc, typeMeta } from "../../api/meta/v1/type-meta.ts";
import { At } from "../../schema/language/report.ts";
import { type OpenApiVersion, refTo, type Schema } from "../../schema/openapi/openapi.ts";
import { mapSchemas } from "../../schema/structural/served-schema.ts";
import { schemaForV2 } from "./schema-for-v2.ts";

/** The name of a model in OpenAPI: the group from back to front, the version and the kind. */
export const modelName = (
  { group, version }: { readonly group: string; readonly version: string },
  kind: string,
): string => `${group.split(".").reverse().join(".")}.${version}.${kind}`;

/** The schemas of the objects of a version and of lists of them, as documents have them. */
export function openApiSchemas(
  { spec }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  openApi: OpenApiVersion,
): Readonly<Record<string, Schema>> {
  const { group, names } = spec;
  const { kind, listKind = "", plural } = names;
  const at = { group, version: version.name };
  const extensions = (of: string): Schema => ({
    "x-kubernetes-group-version-kind": [{ ...at, kind: of }],
    ...selectable(version),
  });
  const object = objectSchema(version.schema?.openAPIV3Schema, {
    openApi,
    preserves: spec.preserveUnknownFields ?? false,
  });
  return {
    [modelName(at, kind)]: { ...object, ...extensions(kind) },
    [modelName(at, listKind)]: {
      description: `A list of ${plural}.`,
      type: "object",
      required: ["items"],
      properties: {
        ...typeProperties,
        items: {
          description: `The ${plural}.`,
          type: "array",
          items: { $ref: refTo(modelName(at, kind), openApi) },
        },
        metadata: {
          description: "The version of the list, and where it continues.",
          ...reference(ListMeta.name, openApi),
        },
      },
      ...extensions(listKind),
    },
  };
}

function selectable({ selectableFields = [] }: CustomResourceDefinitionVersion): Schema {
  if (selectableFields.length === 0) return {};
  const fields = selectableFields.map(({ jsonPath }) => ({
    fieldPath: jsonPath.replace(/^\./, ""),
  }));
  return { "x-kubernetes-selectable-fields": fields };
}

function objectSchema(
  schema: JSONSchemaProps | undefined,
  { openApi, preserves }: { readonly openApi: OpenApiVersion; readonly preserves: boolean },
): Schema {
  // Clients of OpenAPI 2 would reject all members that are not named.
  const isOpen = preserves || schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (!schema || !isStructural(schema) || (openApi === 2 && isOpen)) return { type: "object" };
  const own = openApi === 2 ? schemaForV2(schema) : withAlternatives(schema);
  const { properties, ...rest } = withEmbedded(own as JSONSchemaProps, openApi);
  return {
    ...rest,
    properties: { ...properties, ...typeProperties, metadata: metadataProperty(openApi) },
  };
}

function isStructural(schema: JSONSchemaProps): boolean {
  const at = At.root();
  validateStructural(schema, at);
  return at.errors.length === 0;
}

/** Writes x-kubernetes-int-or-string as the types that other tools know. */
function withAlternatives(schema: JSONSchemaProps): JSONSchemaProps {
  const whole = mapSchemas(schema, (part) =>
    withAlternatives(part as JSONSchemaProps),
  ) as JSONSchemaProps;
  if (!whole["x-kubernetes-int-or-string"]) return whole;
  const { anyOf, allOf = [] } = whole;
  const isIntOrString = (schemas: readonly JSONSchemaProps[] | undefined) =>
    schemas?.length === 2 && schemas[0]?.type === "integer" && schemas[1]?.type === "string";
  if (isIntOrString(anyOf) || isIntOrString(allOf[0]?.anyOf)) return whole;
  const alternatives = [{ type: "integer" }, { type: "string" }];
  if (!anyOf) return { ...whole, anyOf: alternatives };
  return { ...whole, allOf: [{ anyOf: alternatives }, ...allOf] };
}

/** Adds apiVersion, kind and metadata to embedded objects. */
function withEmbedded(schema: JSONSchemaProps, openApi: OpenApiVersion): JSONSchemaProps {
  const whole = mapSchemas(schema, (part) =>
    withEmbedded(part as JSONSchemaProps, openApi),
  ) as JSONSchemaProps;
  if (!whole["x-kubernetes-embedded-resource"]) return whole;
  if (openApi === 2 && whole["x-kubernetes-preserve-unknown-fields"]) return whole;
  const { required = [], properties } = whole;
  const own = { ...typeProperties, metadata: metadataProperty(openApi) } as object;
  return {
    ...whole,
    properties: { ...properties, ...own },
    required: [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))],
  };
}

const typeProperties: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(typeMeta).map(([name, { description }]) => [
    name,
    { description, type: "string" },
  ]),
);

const reference = (name: string, openApi: OpenApiVersion): Schema => {
  const ref = { $ref: refTo(name, openApi) };
  return openApi === 2 ? ref : { allOf: [ref] };
};

const metadataProperty = (openApi: OpenApiVersion): Schema => ({
  description: metadataDoc,
  ...reference(ObjectMeta.name, openApi),
});
