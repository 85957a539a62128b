import { value } from "../../../schema/language/field.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import type { KindDefinition } from "../../meta/v1/kind.ts";
import {
  mutatingAdmissionPolicySpec,
  validateMutatingPolicySpec,
} from "./mutating-admission-policy-spec.ts";
import { paramKindCell } from "./param.ts";
import { keepsMatchConditions } from "./policy-validation.ts";
import { registration, specStrategy } from "./registration.ts";

/** All that a version of MutatingAdmissionPolicy has in common with the others. */
export function mutatingAdmissionPolicy(version: string) {
  const spec = mutatingAdmissionPolicySpec(version);
  const fields = { spec: value(2, spec).doc("What the policy changes, and where.") };
  return {
    ...registration,
    version,
    kind: "MutatingAdmissionPolicy",
    plural: "mutatingadmissionpolicies",
    doc: "Changes, as CEL expressions, to objects in requests where a binding says so.",
    fields,
    rules: [
      (policy, at) =>
        validateMutatingPolicySpec(policy.spec, at.child("spec"), {
          ignoreMatchConditions: false,
        }),
    ],
    updateRules(policy, old, { at, metadata }) {
      metadata();
      validateMutatingPolicySpec(policy.spec, at.child("spec"), {
        ignoreMatchConditions: keepsMatchConditions(policy.spec, old.spec),
      });
    },
    strategy: specStrategy(spec),
    columns: [
      nameColumn,
      {
        name: "Mutations",
        type: "integer",
        description:
          "Mutation indicates the number of mutations rules defined in this configuration",
        cell: (policy) => policy.spec.mutations?.length ?? 0,
      },
      {
        name: "ParamKind",
        type: "string",
        description: "ParamKind specifies the kind of resources used to parameterize this policy",
        cell: (policy) => paramKindCell(policy.spec.paramKind),
      },
      ageColumn,
    ],
  } satisfies KindDefinition<typeof fields>;
}
