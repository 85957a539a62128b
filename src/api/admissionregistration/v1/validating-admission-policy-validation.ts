import { boolType, nullType, stringType } from "../../../cel/checking/cel-type.ts";
import type { At } from "../../../schema/language/report.ts";
import { isQualifiedName } from "../../../schema/values/names.ts";
import { validateConditions } from "../../meta/v1/condition.ts";
import {
  type AdmissionCompiler,
  createAdmissionCompiler,
  reportExpression,
} from "./admission-expression.ts";
import { checkJsonPath } from "./json-path.ts";
import { goTrim, isBlank } from "./match-condition.ts";
import { type PolicyOptions, validatePolicySubject } from "./policy-validation.ts";
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
  Validation,
} from "./validating-admission-policy-spec.ts";
import { validateVariables } from "./variable.ts";
import { validateChoice } from "./webhook-validation.ts";

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const maxAnnotations = 20;
const maxValueExpression = 5 * 1024;
const encoder = new TextEncoder();

/** The rules of a validating policy. */
export function validateValidatingPolicySpec(
  spec: ValidatingAdmissionPolicySpec,
  at: At,
  options: PolicyOptions & { readonly policyName: string },
): void {
  const { validations = [], auditAnnotations = [], variables = [] } = spec;
  const hasParams = spec.paramKind !== undefined;
  const compiler = createAdmissionCompiler({ hasVariables: variables.length > 0 });
  validatePolicySubject(spec, at, options);
  validateVariables(variables, at.child("variables"), { compiler, hasParams });
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    at.required("validations", detail);
    at.required("auditAnnotations", detail);
    return;
  }
  for (const [i, validation] of validations.entries())
    validateValidation(validation, at.child("validations").index(i), { compiler, hasParams });
  validateAnnotations(auditAnnotations, at.child("auditAnnotations"), {
    policyName: options.policyName,
    compiler,
    hasParams,
  });
}

interface Expressions {
  readonly compiler: AdmissionCompiler;
  readonly hasParams: boolean;
}

function validateValidation(
  validation: Validation,
  at: At,
  { compiler, hasParams }: Expressions,
): void {
  const { expression, message = "", messageExpression = "", reason } = validation;
  const notEmpty = "must be non-empty if specified";
  if (isBlank(expression)) at.required("expression", "expression is not specified");
  else {
    const compiled = compiler.compile(expression, [boolType], { hasParams, hasAuthorizer: true });
    reportExpression(at.child("expression"), expression, compiled);
  }
  if (messageExpression !== "" && isBlank(messageExpression))
    at.invalid("messageExpression", messageExpression, notEmpty);
  else if (messageExpression !== "") {
    const scope = { hasParams, hasAuthorizer: false };
    const compiled = compiler.compile(messageExpression, [stringType], scope);
    reportExpression(at.child("messageExpression"), messageExpression, compiled);
  }
  if (message !== "" && isBlank(message)) at.invalid("message", message, notEmpty);
  else if (/[\n\r]/.test(goTrim(message)))
    at.invalid("message", message, "must not contain line breaks");
  validateChoice(reason, at.child("reason"), reasons);
}

function validateAnnotations(
  annotations: readonly AuditAnnotation[],
  at: At,
  options: Expressions & { readonly policyName: string },
): void {
  const keys = new Set<string>();
  if (annotations.length > maxAnnotations)
    at.invalid(
      "",
      annotations.map(shown),
      `must not have more than ${maxAnnotations} auditAnnotations`,
    );
  for (const [i, annotation] of annotations.entries()) {
    const { key } = annotation;
    validateAnnotation(annotation, at.index(i), options);
    if (keys.has(key)) at.index(i).duplicate("key", key);
    keys.add(key);
  }
}

/** As upstream holds it in memory. */
const shown = ({ key, valueExpression }: AuditAnnotation) => ({
  Key: key,
  ValueExpression: valueExpression,
});

function validateAnnotation(
  { key, valueExpression }: AuditAnnotation,
  at: At,
  { policyName, compiler, hasParams }: Expressions & { readonly policyName: string },
): void {
  if (policyName === "") at.invalid("key", key, "requires metadata.name be non-empty");
  else {
    const full = `${policyName}/${key}`;
    at.invalidEach("key", full, isQualifiedName(full));
  }
  const trimmed = goTrim(valueExpression);
  if (trimmed === "") at.required("valueExpression", "valueExpression is not specified");
  else if (encoder.encode(trimmed).length > maxValueExpression)
    at.required("valueExpression", `must not exceed ${maxValueExpression} bytes in length`);
  else {
    const scope = { hasParams, hasAuthorizer: true };
    const compiled = compiler.compile(trimmed, [stringType, nullType], scope);
    reportExpression(at.child("valueExpression"), valueExpression, compiled);
  }
}

/** The rules of what is known of a policy. */
export function validateValidatingPolicyStatus(
  { typeChecking, conditions }: ValidatingAdmissionPolicyStatus,
  at: At,
): void {
  const warnings = at.child("typeChecking").child("expressionWarnings");
  for (const [i, { warning, fieldRef }] of (typeChecking?.expressionWarnings ?? []).entries()) {
    if (warning === "") warnings.index(i).required("warning");
    validateFieldRef(goTrim(fieldRef), warnings.index(i).child("fieldRef"));
  }
  validateConditions(conditions, at.child("conditions"));
}

function validateFieldRef(fieldRef: string, at: At): void {
  if (fieldRef === "") {
    at.required();
    return;
  }
  const problem = checkJsonPath(`{${fieldRef}}`);
  if (problem !== undefined) at.invalid("", fieldRef, `invalid JSONPath: ${problem}`);
}
