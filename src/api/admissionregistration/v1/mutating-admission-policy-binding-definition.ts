import { message, string, value } from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import type { KindDefinition } from "../../meta/v1/kind.ts";
import { bindingColumns, validateBindingSubject } from "./binding.ts";
import { matchResources } from "./match-resources.ts";
import { paramRef } from "./param.ts";
import { registration, specStrategy } from "./registration.ts";
import { packageOf } from "./rule.ts";
import { validateMutatingOperations } from "./rule-validation.ts";

/** All that a version of MutatingAdmissionPolicyBinding has in common with the others. */
export function mutatingAdmissionPolicyBinding(version: string) {
  const spec = struct(`${packageOf(version)}.MutatingAdmissionPolicyBindingSpec`, {
    policyName: string(1).doc("The policy that is bound."),
    paramRef: message(2, paramRef(version)).doc("Where its parameters are found."),
    matchResources: message(3, matchResources(version)).doc(
      "Which of the requests that the policy looks at are meant.",
    ),
  }).doc("Where a policy holds.");
  const fields = { spec: value(2, spec).doc("Which policy holds, and where.") };
  return {
    ...registration,
    version,
    kind: "MutatingAdmissionPolicyBinding",
    plural: "mutatingadmissionpolicybindings",
    doc: "Puts a mutating policy into force, with parameters.",
    fields,
    rules: [
      (binding, at) => {
        const { matchResources: match } = binding.spec;
        validateBindingSubject(binding.spec, at.child("spec"));
        validateMutatingOperations(match?.resourceRules, at.child("spec").child("matchResources"));
      },
    ],
    updateRules: (_binding, _old, { create }) => create(),
    strategy: specStrategy(spec),
    columns: bindingColumns,
  } satisfies KindDefinition<typeof fields>;
}
