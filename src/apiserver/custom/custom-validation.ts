import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { CustomResourceDefinitionVersion } from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import {
  evaluateRules,
  type RuleSubject,
} from "../../api/apiextensions/v1/rules/evaluate-rules.ts";
import { type RuleTree, ruleTree } from "../../api/apiextensions/v1/rules/rule-tree.ts";
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../api/meta/v1/object-meta-validation.ts";
import { At, type FieldErrorType } from "../../schema/language/report.ts";
import { Correlated } from "../../schema/structural/correlated.ts";
import { validateEmbedded } from "../../schema/structural/embedded.ts";
import { type JsonSchema, propertyOf } from "../../schema/structural/json-schema.ts";
import { validateListTypes } from "../../schema/structural/list-types.ts";
import type { SchemaResource } from "../../schema/structural/schema-form.ts";
import { servedSchema } from "../../schema/structural/served-schema.ts";
import { validateValue, validateValueUpdate } from "../../schema/structural/validate-value.ts";
import { nameIsDnsSubdomain } from "../../schema/values/names.ts";
import type { RuleTimes } from "../metrics/cel-metrics.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { validateScalePaths } from "./scale-paths-validation.ts";

type Validation = Pick<AnyKind, "validateCreate" | "validateUpdate" | "validateStatusUpdate">;

/** What objects of a version are checked by. */
interface Served {
  readonly whole: JsonSchema;
  readonly status: JsonSchema | undefined;
  readonly rules: RuleTree | undefined;
}

interface ValidationParts {
  readonly resource: SchemaResource;
  readonly times?: RuleTimes | undefined;
}

const untimed: RuleTimes = { compiling: (compile) => compile(), evaluating: (run) => run() };

/** The rules of objects of a version. */
export function customValidation(
  { spec, status: { acceptedNames } }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { resource: { metadata }, times = untimed }: ValidationParts,
): Validation {
  const schema = version.schema?.openAPIV3Schema ?? {};
  const statusSchema = propertyOf<JsonSchema>(schema, "status");
  // Compiled when an object is first written, not for all versions of all definitions at once.
  let served: Served | undefined;
  const servedSchemas = (): Served => {
    served ??= {
      whole: servedSchema(schema),
      status: statusSchema && servedSchema(statusSchema),
      rules: times.compiling(() => ruleTree(schema, { isResource: true })),
    };
    return served;
  };
  const validateRules = (...given: Parameters<typeof checkRules>): void =>
    times.evaluating(() => checkRules(...given));
  const expected = { apiVersion: `${spec.group}/${version.name}`, kind: acceptedNames.kind };
  const scale = version.subresources?.scale;
  const names = { namespaced: spec.scope === "Namespaced", name: nameIsDnsSubdomain };
  return {
    validateCreate(object, at) {
      if (!isOf(object, expected, at)) return;
      const start = at.errors.length;
      const { whole, rules } = servedSchemas();
      validateObjectMeta(object.metadata, at.child("metadata"), names);
      validateValue(whole, object, at);
      if (scale) validateScalePaths(object, scale, at);
      validateEmbedded(object, schema, { at, metadata });
      validateListTypes(object, schema, at);
      if (rules) validateRules(rules, { value: object }, { at, start });
    },
    validateUpdate(object, old, at) {
      if (!isOf(object, expected, at)) return;
      const start = at.errors.length;
      validateObjectMetaUpdate(object.metadata, old.metadata, at.child("metadata"));
      const { whole, rules } = servedSchemas();
      const correlated = new Correlated(object, old, schema);
      validateValueUpdate({ schema: whole, correlated }, object, at);
      if (scale) validateScalePaths(object, scale, at);
      validateEmbedded(object, schema, { at, metadata });
      validateNewListTypes(schema, object, { old, at });
      if (rules) validateRules(rules, { value: object, old, correlated }, { at, start });
    },
    validateStatusUpdate(object, old, at) {
      if (!isOf(object, expected, at)) return;
      const start = at.errors.length;
      validateObjectMetaUpdate(object.metadata, old.metadata, at.child("metadata"));
      const { status: servedStatus, rules } = servedSchemas();
      const correlated = new Correlated(object, old, schema);
      if (servedStatus && Object.hasOwn(object, "status"))
        validateValueUpdate(
          { schema: servedStatus, correlated: correlated.member("status") },
          object.status,
          at.child("status"),
        );
      if (scale) validateScalePaths(object, { ...scale, specReplicasPath: undefined }, at);
      validateNewListTypes(schema, object, { old, at });
      if (rules) validateRules(rules, { value: object, old, correlated }, { at, start });
    },
  };
}

/** An object must have the kind and version of its path; otherwise nothing else is validated. */
function isOf(
  { kind, apiVersion }: ApiObject,
  expected: Pick<ApiObject, "kind" | "apiVersion">,
  at: At,
): boolean {
  if (kind !== expected.kind) at.invalid("kind", kind, `must be ${expected.kind}`);
  if (apiVersion !== expected.apiVersion)
    at.invalid("apiVersion", apiVersion, `must be ${expected.apiVersion}`);
  return kind === expected.kind && apiVersion === expected.apiVersion;
}

/** Duplicate items are rejected only if the old object had none. */
function validateNewListTypes(
  schema: JsonSchema,
  object: ApiObject,
  { old, at }: { readonly old: ApiObject; readonly at: At },
): void {
  const before = At.root();
  validateListTypes(old, schema, before);
  if (before.errors.length === 0) validateListTypes(object, schema, at);
}

/** The checks that must pass before expressions can be evaluated. */
const blocking: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** The rules that are expressions (x-kubernetes-validations); `start` is where the errors of this object begin. */
function checkRules(
  rules: RuleTree,
  subject: RuleSubject,
  { at, start }: { readonly at: At; readonly start: number },
): void {
  if (!at.errors.slice(start).some(({ type }) => blocking.has(type)))
    evaluateRules(rules, subject, { at });
  else
    at.invalid(
      "<nil>",
      null,
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    );
}
