import { int64, list, message, named, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { Condition } from "../../meta/v1/condition.ts";
import { MatchCondition } from "./match-condition.ts";
import { MatchResources } from "./match-resources.ts";
import { ParamKind } from "./param.ts";
import { Variable } from "./variable.ts";

export const Validation = struct("io.k8s.api.admissionregistration.v1.Validation", {
  expression: string(1)
    .always()
    .expected()
    .doc("A CEL expression that is true of the requests that pass."),
  message: string(2).doc("What a client is told whose request does not pass."),
  reason: named(3, "v1.StatusReason").pointer().doc("The reason of the answer to it."),
  messageExpression: string(4).doc("A CEL expression of what the client is told."),
}).doc("One thing that a policy asks of requests.");
export interface Validation extends Infer<typeof Validation> {}

export const AuditAnnotation = struct("io.k8s.api.admissionregistration.v1.AuditAnnotation", {
  key: string(1).always().expected().doc("The key, without the name of the policy before it."),
  valueExpression: string(2)
    .always()
    .expected()
    .doc("The CEL expression of its value; none is written where that is null."),
}).doc("An annotation that a policy writes to the audit log.");
export interface AuditAnnotation extends Infer<typeof AuditAnnotation> {}

export const ValidatingAdmissionPolicySpec = struct(
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec",
  {
    paramKind: message(1, ParamKind).doc("The kind of its parameters, if it has any."),
    matchConstraints: message(2, MatchResources).doc("Which requests it looks at."),
    validations: list(3, Validation).atomic().doc("What it asks of them."),
    failurePolicy: named(4, "v1.FailurePolicyType")
      .pointer()
      .known("Ignore", "Fail")
      .default("Fail")
      .doc("What becomes of a request when the policy cannot be evaluated."),
    auditAnnotations: list(5, AuditAnnotation).atomic().doc("What it writes to the audit log."),
    matchConditions: list(6, MatchCondition)
      .keyedBy("name")
      .doc("CEL conditions that a request must meet to be looked at, all of them."),
    variables: list(7, Variable).keyedBy("name").doc("Values that its expressions share."),
  },
).doc("What a policy asks of which requests.");
export interface ValidatingAdmissionPolicySpec
  extends Infer<typeof ValidatingAdmissionPolicySpec> {}

export const ExpressionWarning = struct("io.k8s.api.admissionregistration.v1.ExpressionWarning", {
  fieldRef: string(2).always().expected().doc("The path of the field with the expression."),
  warning: string(3).always().expected().doc("What its types tell, for people."),
}).doc("What is suspicious about an expression.");
export interface ExpressionWarning extends Infer<typeof ExpressionWarning> {}

export const TypeChecking = struct("io.k8s.api.admissionregistration.v1.TypeChecking", {
  expressionWarnings: list(1, ExpressionWarning).atomic().doc("What was found."),
}).doc("What a look at the types in a policy's expressions found.");
export interface TypeChecking extends Infer<typeof TypeChecking> {}

export const ValidatingAdmissionPolicyStatus = struct(
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus",
  {
    observedGeneration: int64(1).doc("The generation that was looked at."),
    typeChecking: message(2, TypeChecking).doc("What was found in it."),
    conditions: list(3, Condition).mapKeys("type").doc("Aspects of its state."),
  },
).doc("What is known of a policy.");
export interface ValidatingAdmissionPolicyStatus
  extends Infer<typeof ValidatingAdmissionPolicyStatus> {}
