import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { CustomResourceDefinitionVersion } from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../api/meta/v1/object-meta-validation.ts";
import { At, type FieldErrorType } from "../../schema/language/report.ts";
import { validateEmbedded } from "../../schema/structural/embedded.ts";
import { type JsonSchema, propertyOf } from "../../schema/structural/json-schema.ts";
import { validateListTypes } from "../../schema/structural/list-types.ts";
import type { SchemaResource } from "../../schema/structural/schema-form.ts";
import { hasRules, servedSchema } from "../../schema/structural/served-schema.ts";
import { validateValue, validateValueUpdate } from "../../schema/structural/validate-value.ts";
import { nameIsDnsSubdomain } from "../../schema/values/names.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { validateScalePaths } from "./scale-paths-validation.ts";

type Validation = Pick<AnyKind, "validateCreate" | "validateUpdate" | "validateStatusUpdate">;

/** The rules of objects of a version. */
export function customValidation(
  { spec, status: { acceptedNames } }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { metadata }: SchemaResource,
): Validation {
  const schema = version.schema?.openAPIV3Schema ?? {};
  const statusSchema = propertyOf<JsonSchema>(schema, "status");
  const hasExpressions = hasRules(schema);
  // Compiled when an object is first written, not for all versions of all definitions at once.
  let served: { readonly whole: JsonSchema; readonly status: JsonSchema | undefined } | undefined;
  const servedSchemas = () => {
    served ??= {
      whole: servedSchema(schema),
      status: statusSchema && servedSchema(statusSchema),
    };
    return served;
  };
  const expected = { apiVersion: `${spec.group}/${version.name}`, kind: acceptedNames.kind };
  const scale = version.subresources?.scale;
  const names = { namespaced: spec.scope === "Namespaced", name: nameIsDnsSubdomain };
  return {
    validateCreate(object, at) {
      if (!isOf(object, expected, at)) return;
      const start = at.errors.length;
      validateObjectMeta(object.metadata, at.child("metadata"), names);
      validateValue(servedSchemas().whole, object, at);
      if (scale) validateScalePaths(object, scale, at);
      validateEmbedded(object, schema, { at, metadata });
      validateListTypes(object, schema, at);
      if (hasExpressions) validateExpressions(at, start);
    },
    validateUpdate(object, old, at) {
      if (!isOf(object, expected, at)) return;
      const start = at.errors.length;
      validateObjectMetaUpdate(object.metadata, old.metadata, at.child("metadata"));
      const schemas = { schema: servedSchemas().whole, spine: schema };
      validateValueUpdate(schemas, { value: object, old }, at);
      if (scale) validateScalePaths(object, scale, at);
      validateEmbedded(object, schema, { at, metadata });
      validateNewListTypes(schema, object, { old, at });
      if (hasExpressions) validateExpressions(at, start);
    },
    validateStatusUpdate(object, old, at) {
      if (!isOf(object, expected, at)) return;
      const start = at.errors.length;
      validateObjectMetaUpdate(object.metadata, old.metadata, at.child("metadata"));
      const { status: servedStatus } = servedSchemas();
      if (servedStatus && Object.hasOwn(object, "status"))
        validateValueUpdate(
          { schema: servedStatus, spine: statusSchema },
          { value: object.status, old: old.status },
          at.child("status"),
        );
      if (scale) validateScalePaths(object, { ...scale, specReplicasPath: undefined }, at);
      validateNewListTypes(schema, object, { old, at });
      if (hasExpressions) validateExpressions(at, start);
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

/**
 * The rules that are expressions (x-kubernetes-validations). They are not evaluated yet: this is where
 * they will be, with `at` for their errors. The errors about objects they cannot evaluate exist already.
 */
function validateExpressions(at: At, start: number): void {
  if (at.errors.slice(start).some(({ type }) => blocking.has(type)))
    at.invalid(
      "<nil>",
      null,
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    );
}
