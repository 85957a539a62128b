import { listOf, message, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { namedString } from "../../../schema/language/type.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { bindingColumns, validateBindingSubject } from "./binding.ts";
import { MatchResources } from "./match-resources.ts";
import { ParamRef } from "./param.ts";
import { registration, specStrategy } from "./registration.ts";

export const ValidatingAdmissionPolicyBindingSpec = struct(
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec",
  {
    policyName: string(1).expected().doc("The policy that is bound."),
    paramRef: message(2, ParamRef).doc("Where its parameters are found."),
    matchResources: message(3, MatchResources).doc(
      "Which of the requests that the policy looks at are meant.",
    ),
    validationActions: listOf(4, namedString("v1.ValidationAction"))
      .expected()
      .known("Deny", "Warn", "Audit")
      .set()
      .doc("What becomes of requests that do not pass."),
  },
).doc("Where a policy holds, and what becomes of those who break it.");
export interface ValidatingAdmissionPolicyBindingSpec
  extends Infer<typeof ValidatingAdmissionPolicyBindingSpec> {}

export const ValidatingAdmissionPolicyBinding = kind({
  ...registration,
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  doc: "Puts a validating policy into force, with parameters.",
  fields: {
    spec: value(2, ValidatingAdmissionPolicyBindingSpec)
      .expected()
      .doc("Which policy holds, and where."),
  },
  rules: [({ spec }, at) => validateSpec(spec, at.child("spec"))],
  updateRules: (_binding, _old, { create }) => create(),
  strategy: specStrategy(ValidatingAdmissionPolicyBindingSpec),
  columns: bindingColumns,
});
export interface ValidatingAdmissionPolicyBinding
  extends ObjectOf<typeof ValidatingAdmissionPolicyBinding> {}

function validateSpec(spec: ValidatingAdmissionPolicyBindingSpec, at: At): void {
  validateBindingSubject(spec, at);
  validateActions(spec.validationActions ?? [], at.child("validationActions"));
}

const actionTypes = ["Audit", "Deny", "Warn"];

function validateActions(actions: readonly string[], at: At): void {
  for (const [i, action] of actions.entries()) {
    if (!actionTypes.includes(action)) at.index(i).notSupported("", action, actionTypes);
    if (actions.indexOf(action) < i) at.index(i).duplicate("", action);
  }
  if (actions.includes("Deny") && actions.includes("Warn"))
    at.invalid(
      "",
      actions,
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
    );
  if (actions.length === 0) at.required("", "at least one validation action is required");
}
