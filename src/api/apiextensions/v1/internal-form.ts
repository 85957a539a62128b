import { sameValue } from "../../../schema/language/validate.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "./custom-resource-definition-spec.ts";
import type { JSONSchemaProps, ValidationRule } from "./json-schema-props.ts";

/** What a version says of itself, or the whole definition for all of its versions. */
export interface PerVersion {
  readonly schema?: CustomResourceValidation | undefined;
  readonly subresources?: CustomResourceSubresources | undefined;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[] | undefined;
  readonly selectableFields?: readonly SelectableField[] | undefined;
}
/** The form in which upstream validates a definition: what all versions share stands once. */
export interface InternalSpec {
  readonly shared: PerVersion;
  readonly versions: readonly CustomResourceDefinitionVersion[] | undefined;
}

const movable = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/** Takes what is equal in all versions out of them. */
export function internalSpec({ versions }: CustomResourceDefinitionSpec): InternalSpec {
  const first = versions?.[0];
  if (!first) return { shared: {}, versions };
  const same = movable.filter((name) =>
    versions.every((version) => sameValue(version[name], first[name])),
  );
  return {
    shared: Object.fromEntries(same.map((name) => [name, first[name]])),
    versions: versions.map((version) => {
      const rest = Object.entries(version).filter(([name]) => !same.includes(name as never));
      return Object.fromEntries(rest) as unknown as CustomResourceDefinitionVersion;
    }),
  };
}

/** Versions as upstream shows them in errors: as it holds them in memory. */
export const goVersions = (versions: InternalSpec["versions"]): unknown =>
  versions?.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: version.schema ? { OpenAPIV3Schema: goSchema(version.schema.openAPIV3Schema) } : null,
    Subresources: goSubresources(version.subresources),
    AdditionalPrinterColumns: version.additionalPrinterColumns?.map(goColumn) ?? null,
    SelectableFields:
      version.selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
  })) ?? null;

function goSubresources(subresources: CustomResourceSubresources | undefined): unknown {
  if (!subresources) return null;
  const { status, scale } = subresources;
  return {
    Status: status ? {} : null,
    Scale: scale
      ? {
          SpecReplicasPath: scale.specReplicasPath,
          StatusReplicasPath: scale.statusReplicasPath,
          LabelSelectorPath: scale.labelSelectorPath ?? null,
        }
      : null,
  };
}

const goColumn = (column: CustomResourceColumnDefinition): unknown => ({
  Name: column.name,
  Type: column.type,
  Format: column.format ?? "",
  Description: column.description ?? "",
  Priority: column.priority ?? 0,
  JSONPath: column.jsonPath,
});

/** A schema as upstream shows it in errors. */
export function goSchema(schema: JSONSchemaProps | undefined): unknown {
  if (!schema) return null;
  const shown = goFields.map(([goName, name, zero]) => {
    const value = schema[name];
    return [goName, value === undefined ? zero : (forms[name]?.(value as never) ?? value)] as const;
  });
  return Object.fromEntries(shown);
}

/** The schema of the items of a list, or those of each, as upstream shows them in errors. */
export const goItems = (items: JSONSchemaProps["items"]): unknown => ({
  Schema: Array.isArray(items) ? null : goSchema(items as JSONSchemaProps),
  JSONSchemas: Array.isArray(items) ? items.map(goSchema) : null,
});

/** A rule as upstream shows it in errors. */
export const goRule = (rule: ValidationRule): unknown => ({
  Rule: rule.rule,
  Message: rule.message ?? "",
  MessageExpression: rule.messageExpression ?? "",
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? "",
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

type Name = keyof JSONSchemaProps & string;
type Schemas = Readonly<Record<string, JSONSchemaProps>>;

/** Upstream's fields in its order: name in memory, name in JSON, what stands for none. */
const goFields: readonly (readonly [goName: string, name: Name, zero: unknown])[] = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", null],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", null],
  ["Maximum", "maximum", null],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", null],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", null],
  ["MinLength", "minLength", null],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", null],
  ["MinItems", "minItems", null],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", null],
  ["Enum", "enum", null],
  ["MaxProperties", "maxProperties", null],
  ["MinProperties", "minProperties", null],
  ["Required", "required", null],
  ["Items", "items", null],
  ["AllOf", "allOf", null],
  ["OneOf", "oneOf", null],
  ["AnyOf", "anyOf", null],
  ["Not", "not", null],
  ["Properties", "properties", null],
  ["AdditionalProperties", "additionalProperties", null],
  ["PatternProperties", "patternProperties", null],
  ["Dependencies", "dependencies", null],
  ["AdditionalItems", "additionalItems", null],
  ["Definitions", "definitions", null],
  ["ExternalDocs", "externalDocs", null],
  ["Example", "example", null],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", null],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", false],
  ["XIntOrString", "x-kubernetes-int-or-string", false],
  ["XListMapKeys", "x-kubernetes-list-map-keys", null],
  ["XListType", "x-kubernetes-list-type", null],
  ["XMapType", "x-kubernetes-map-type", null],
  ["XValidations", "x-kubernetes-validations", null],
];

/** The name in memory of each field that is set, in upstream's order. */
export const setFields = (schema: JSONSchemaProps): readonly string[] =>
  goFields
    .filter(([, name, zero]) => {
      const value = schema[name];
      return value !== undefined && value !== zero;
    })
    .map(([goName]) => goName);

const list = (schemas: readonly JSONSchemaProps[]): unknown => schemas.map(goSchema);
const map = (schemas: Schemas): unknown =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, goSchema(each)]));
const orBool = (value: JSONSchemaProps | boolean): unknown => ({
  Allows: value !== false,
  Schema: typeof value === "boolean" ? null : goSchema(value),
});

const forms: { readonly [K in Name]?: (value: NonNullable<JSONSchemaProps[K]>) => unknown } = {
  items: goItems,
  allOf: list,
  oneOf: list,
  anyOf: list,
  not: goSchema,
  properties: map,
  patternProperties: map,
  definitions: map,
  additionalProperties: orBool,
  additionalItems: orBool,
  dependencies: (dependencies) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, each]) => [
        name,
        {
          Schema: Array.isArray(each) ? null : goSchema(each as JSONSchemaProps),
          Property: Array.isArray(each) ? each : null,
        },
      ]),
    ),
  externalDocs: ({ description = "", url = "" }) => ({ Description: description, URL: url }),
  "x-kubernetes-validations": (rules) => rules.map(goRule),
};
