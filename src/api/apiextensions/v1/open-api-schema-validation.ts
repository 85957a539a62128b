import type { At } from "../../../schema/language/report.ts";
import { followPath } from "./field-path.ts";
import type { JSONSchemaProps, ValidationRule } from "./json-schema-props.ts";
import { validateListType } from "./list-type-validation.ts";
import { validateRuleExpressions } from "./rules/rule-expression-validation.ts";
import type { RuleScope } from "./rules/rule-scope.ts";
import { structuralFault } from "./structural-schema.ts";
import { additionalOf, isSchema, itemsOf } from "./subschemas.ts";

/** What changes on the way down into a schema. */
export interface SchemaContext {
  readonly isRoot?: boolean;
  /** Why there may be no default here; undefined: there may be one. */
  readonly noDefault?: string;
  /** Within the metadata of a resource. */
  readonly insideMeta?: boolean;
  readonly requireValidType: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
  /** Where the expressions of rules are validated; undefined: they are not looked at. */
  readonly rules?: RuleScope | undefined;
  /** The highest place whose items cannot be told apart from those that were there before. */
  readonly uncorrelatedFrom?: string | undefined;
  /** Rules may cost more than they may, because they did already. */
  readonly allowRuleCosts?: boolean;
}

/** The rules of a schema and of all that stand in it. */
export function validateOpenApiSchema(
  schema: JSONSchemaProps,
  at: At,
  context: SchemaContext,
): void {
  const { isRoot = false, rules, ...here } = context;
  const before = at.errors.length;
  const within = (inner: unknown, place: At, change: Partial<SchemaContext> = {}) => {
    if (isSchema(inner)) validateOpenApiSchema(inner, place, { ...here, ...change });
  };
  const inEach = (inner: readonly unknown[] | undefined, name: string) => {
    for (const [i, each] of (inner ?? []).entries()) within(each, at.child(name).index(i));
  };
  const inMap = (inner: object | undefined, name: string) => {
    for (const [key, each] of Object.entries(inner ?? {})) within(each, at.child(name).key(key));
  };

  validateSupported(schema, at, context);
  if (schema.uniqueItems)
    at.forbidden(
      "uniqueItems",
      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    );
  validateAdditional(schema, at);
  const additional = additionalOf(schema);
  within(additional, at.child("additionalProperties"), {
    rules: additional && rules?.additional(additional),
    ...(here.insideMeta && {
      noDefault: "inside additionalProperties applying to object metadata",
    }),
  });
  const isResource = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    within(property, at.child("properties").key(name), {
      rules: rules?.property(property, name),
      ...(isResource &&
        metaFields.has(name) && {
          insideMeta: true,
          ...(isRoot && { noDefault: `in top-level ${name}` }),
        }),
    });
  within(schema.not, at.child("not"));
  inEach(schema.allOf, "allOf");
  inEach(schema.oneOf, "oneOf");
  inEach(schema.anyOf, "anyOf");
  inMap(schema.definitions, "definitions");
  const items = itemsOf(schema);
  within(items, at.child("items"), {
    rules: items && rules?.items(items),
    uncorrelatedFrom:
      here.uncorrelatedFrom ?? (schema["x-kubernetes-list-type"] === "map" ? undefined : at.path),
  });
  if (Array.isArray(schema.items)) inEach(schema.items, "items");
  inMap(schema.dependencies, "dependencies");
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    at.invalid("x-kubernetes-preserve-unknown-fields", false, "must be true or undefined");
  validateMapType(schema, at);
  validateListType(schema, at, context);
  for (const [i, rule] of (schema["x-kubernetes-validations"] ?? []).entries())
    validateRule(rule, schema, at.child("x-kubernetes-validations").index(i));
  // What is wrong here or further down would only be said again by the compiler, and less clearly.
  if (rules && at.errors.length === before && (schema["x-kubernetes-validations"] ?? []).length > 0)
    validateRuleExpressions(rules, at.path, {
      uncorrelatedFrom: here.uncorrelatedFrom,
      allowCosts: here.allowRuleCosts ?? false,
    });
}

const metaFields = new Set(["metadata", "kind", "apiVersion"]);
const types = ["array", "boolean", "integer", "number", "object", "string"];

/** What there is in JSON schemas, and not in those of custom resources. */
function validateSupported(schema: JSONSchemaProps, at: At, context: SchemaContext): void {
  const { type = "" } = schema;
  if (context.requireValidType && type !== "" && !types.includes(type))
    at.notSupported("type", type, types);
  if (schema.default !== undefined && schema.default !== null && context.noDefault !== undefined)
    at.forbidden("default", `must not be set ${context.noDefault}`);
  if (schema.id) at.forbidden("id", "id is not supported");
  for (const name of [
    "additionalItems",
    "patternProperties",
    "definitions",
    "dependencies",
    "$ref",
  ] as const)
    if (isGiven(name, schema[name])) at.forbidden(name, `${name} is not supported`);
  if (type === "null")
    at.forbidden("type", "type cannot be set to null, use nullable as an alternative");
  if (Array.isArray(schema.items) && schema.items.length > 0)
    at.forbidden("items", "items must be a schema object and not an array");
  if (context.insideMeta && schema["x-kubernetes-embedded-resource"])
    at.forbidden("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
}

/** These count when they are given, whatever they are; maps when there is something in them. */
const pointers = new Set<string>(["additionalItems", "dependencies", "$ref"]);
const isGiven = (name: string, value: unknown): boolean =>
  pointers.has(name) ? value !== undefined : Object.keys(value ?? {}).length > 0;

function validateAdditional(schema: JSONSchemaProps, at: At): void {
  const { additionalProperties, properties = {} } = schema;
  if (additionalProperties === undefined || additionalProperties === true) return;
  if (Object.keys(properties).length > 0)
    at.forbidden(
      "additionalProperties",
      "additionalProperties and properties are mutual exclusive",
    );
}

function validateMapType({ type = "", ...schema }: JSONSchemaProps, at: At): void {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return;
  const detail = "must be object if x-kubernetes-map-type is specified";
  if (type === "") at.required("type", detail);
  else if (type !== "object") at.invalid("type", type, detail);
  if (mapType !== "atomic" && mapType !== "granular")
    at.notSupported("x-kubernetes-map-type", mapType, ["atomic", "granular"]);
}

const reasons = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

/** The rules of a rule, but for those of its expressions. */
function validateRule(rule: ValidationRule, schema: JSONSchemaProps, at: At): void {
  const { message = "", messageExpression = "", reason, fieldPath = "" } = rule;
  const expression = rule.rule.trim();
  if (expression === "") at.required("rule", "rule is not specified");
  else if (message !== "" && message.trim() === "")
    at.invalid("message", message, "must be non-empty if specified");
  else if (hasLineBreak(message.trim()))
    at.invalid("message", message, "must not contain line breaks");
  else if (hasLineBreak(expression) && message.trim() === "")
    at.required("message", "message must be specified if rule contains line breaks");
  if (messageExpression !== "" && messageExpression.trim() === "")
    at.required("messageExpression", "messageExpression must be non-empty if specified");
  if (reason !== undefined && !reasons.includes(reason)) at.notSupported("reason", reason, reasons);
  if (fieldPath === "") return;
  if (fieldPath.trim() === "") at.invalid("fieldPath", fieldPath, "must be non-empty if specified");
  if (hasLineBreak(fieldPath)) at.invalid("fieldPath", fieldPath, "must not contain line breaks");
  if (structuralFault(schema) === undefined && "error" in followPath(fieldPath, schema))
    at.invalid("fieldPath", fieldPath, "must be a valid path");
}
