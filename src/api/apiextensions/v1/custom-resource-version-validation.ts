import type { At } from "../../../schema/language/report.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
  SelectableField,
} from "./custom-resource-definition-spec.ts";
import { followPath } from "./field-path.ts";
import { goSchema, type PerVersion, setFields } from "./internal-form.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { type SchemaContext, validateOpenApiSchema } from "./open-api-schema-validation.ts";
import { validateTotalCost } from "./rules/rule-expression-validation.ts";
import { type RuleScope, rootRuleScope } from "./rules/rule-scope.ts";
import { validateDefaults } from "./schema-defaults-validation.ts";
import { structuralFault, validateStructural } from "./structural-schema.ts";

export interface VersionOptions extends SchemaContext {
  readonly requireStructural: boolean;
  /** The status is written on its own: the root of the schema may say less. */
  readonly hasStatus: boolean;
  readonly allowManySelectableFields: boolean;
}

export function validateDeprecation(version: CustomResourceDefinitionVersion, at: At): void {
  const { deprecated, deprecationWarning: warning } = version;
  if (warning === undefined) return;
  const say = (detail: string) => at.invalid("deprecationWarning", warning, detail);
  if (!deprecated) {
    say("can only be set for deprecated versions");
    return;
  }
  if (byteLength(warning) > 256) say("must be <= 256 characters long");
  if (warning === "") say("must not be an empty string");
  let index = 0;
  for (const char of warning) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      say(
        `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
      );
      break;
    }
    index += byteLength(char);
  }
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** The rules of a schema of objects. */
function validateSchema(schema: JSONSchemaProps, at: At, options: VersionOptions): void {
  const start = at.errors.length;
  const here = at.child("openAPIV3Schema");
  if (options.hasStatus) validateRoot(schema, at);
  if (schema.nullable) here.forbidden("nullable", "nullable cannot be true at the root");
  const fault = options.requireStructural ? structuralFault(schema) : undefined;
  let rules: RuleScope | undefined;
  if (options.requireStructural && fault === undefined) {
    const before = at.errors.length;
    validateStructural(schema, here);
    if (at.errors.length === before) validateDefaults(schema, here, { requirePruned: true });
    if (at.errors.length === before) rules = rootRuleScope(schema);
  }
  validateOpenApiSchema(schema, here, { ...options, isRoot: true, rules });
  if (fault !== undefined && at.errors.length === start) here.invalid("", "", fault);
  if (rules === undefined) return;
  validateTotalCost(rules.report, here.path);
  at.errors.push(...rules.report.at.errors);
}

const allowedAtRoot = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

function validateRoot(schema: JSONSchemaProps, at: At): void {
  for (const field of setFields(schema)) {
    if (field === "Type" && schema.type !== "object") {
      at.invalid(
        "openAPIV3Schema.type",
        schema.type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      );
      return;
    }
    if (!allowedAtRoot.includes(field)) {
      at.invalid(
        "openAPIV3Schema",
        goSchema(schema),
        `only [${allowedAtRoot.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`,
      );
      return;
    }
  }
}

/** The rules of what a version says of itself, or a definition of all versions, but for the schema. */
function validateScale(scale: CustomResourceSubresourceScale | undefined, at: At): void {
  if (!scale) return;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  validatePathUnder("specReplicasPath", specReplicasPath, [".spec"], at);
  validatePathUnder("statusReplicasPath", statusReplicasPath, [".status"], at);
  if (labelSelectorPath)
    validatePathUnder("labelSelectorPath", labelSelectorPath, [".spec", ".status"], at);
}

function validatePathUnder(
  field: keyof CustomResourceSubresourceScale,
  path: string,
  roots: readonly string[],
  at: At,
): void {
  if (!path) at.required(field);
  else if (!path.startsWith(".")) at.invalid(field, path, notSimple);
  else if (!roots.some((root) => path.startsWith(`${root}.`)))
    at.invalid(
      field,
      path,
      `should be a json path under ${roots.length > 1 ? "either " : ""}${roots.join(" or ")}`,
    );
}

const notSimple = "must be a simple json path starting with .";
const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];

function validateColumn(column: CustomResourceColumnDefinition, at: At): void {
  const { name, type, format = "", jsonPath } = column;
  if (!name) at.required("name");
  const ofType = `must be one of ${columnTypes.join(",")}`;
  if (!type) at.required("type", ofType);
  else if (!columnTypes.includes(type)) at.invalid("type", type, ofType);
  if (format !== "" && !columnFormats.includes(format))
    at.invalid("format", format, `must be one of ${columnFormats.join(",")}`);
  if (!jsonPath) at.required("JSONPath");
  else if (!jsonPath.startsWith(".")) at.invalid("JSONPath", jsonPath, notSimple);
}

const maxSelectableFields = 8;
const selectableTypes = ["string", "boolean", "integer"];

function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps,
  at: At,
): number {
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const here = at.index(i);
    if (!jsonPath) {
      here.required("jsonPath");
      continue;
    }
    const found = followPath(jsonPath, schema, { brackets: false });
    if ("error" in found) {
      here.invalid("jsonPath", jsonPath, `is an invalid path: ${found.error}`);
      continue;
    }
    if (found.steps[0] === "metadata")
      here.invalid("jsonPath", jsonPath, "must not point to fields in metadata");
    if (!selectableTypes.includes(found.schema?.type ?? ""))
      here.invalid(
        "jsonPath",
        jsonPath,
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
      );
    const path = found.steps.join(".");
    if (seen.has(path)) here.duplicate("jsonPath", jsonPath);
    seen.add(path);
  }
  return seen.size;
}

/** All that a version says of itself, or a definition of all of its versions. */
export function validatePerVersion(
  { schema, subresources, additionalPrinterColumns, selectableFields }: PerVersion,
  at: At,
  {
    schemaName,
    noSchema,
    ...options
  }: VersionOptions & {
    readonly schemaName: string;
    /** What is said of selectable fields where there is no schema. */
    readonly noSchema: string;
  },
): void {
  if (schema?.openAPIV3Schema)
    validateSchema(schema.openAPIV3Schema, at.child(schemaName), options);
  validateScale(subresources?.scale, at.child("subresources").child("scale"));
  for (const [i, column] of (additionalPrinterColumns ?? []).entries())
    validateColumn(column, at.child("additionalPrinterColumns").index(i));
  if (!selectableFields || selectableFields.length === 0) return;
  const root = schema?.openAPIV3Schema;
  if (!root) {
    at.invalid("selectableFields", "", noSchema);
    return;
  }
  const fault = structuralFault(root);
  if (fault !== undefined) at.invalid("schema.openAPIV3Schema", "", fault);
  const here = at.child("selectableFields");
  const count = validateSelectableFields(selectableFields, fault === undefined ? root : {}, here);
  if (count > maxSelectableFields && !options.allowManySelectableFields)
    here.tooMany("", count, maxSelectableFields);
}
