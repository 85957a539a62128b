import { value } from "../../../schema/language/field.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { paramKindCell } from "./param.ts";
import { keepsMatchConditions } from "./policy-validation.ts";
import { nameWarnings, registration } from "./registration.ts";
import {
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
} from "./validating-admission-policy-spec.ts";
import {
  validateValidatingPolicySpec,
  validateValidatingPolicyStatus,
} from "./validating-admission-policy-validation.ts";

export const ValidatingAdmissionPolicy = kind({
  ...registration,
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  doc: "Rules, as CEL expressions, that requests must follow where a binding says so.",
  fields: {
    spec: value(2, ValidatingAdmissionPolicySpec).doc("The rules, and what they are asked of."),
    status: value(3, ValidatingAdmissionPolicyStatus).doc("What is known of the policy."),
  },
  subresources: ["status"],
  rules: [
    ({ metadata, spec }, at) =>
      validateValidatingPolicySpec(spec, at.child("spec"), {
        policyName: metadata.name ?? "",
        ignoreMatchConditions: false,
      }),
  ],
  updateRules(policy, old, { at, metadata }) {
    metadata();
    validateValidatingPolicySpec(policy.spec, at.child("spec"), {
      policyName: policy.metadata.name ?? "",
      ignoreMatchConditions: keepsMatchConditions(policy.spec, old.spec),
    });
  },
  statusRules: ({ status }, _old, { at }) =>
    validateValidatingPolicyStatus(status, at.child("status")),
  strategy: {
    initialStatus: {},
    statusKeeps: ["metadata"],
    generation: { spec: ValidatingAdmissionPolicySpec },
    conditionalUpdateOnly: true,
    warnings: nameWarnings,
    statusWarnings: nameWarnings,
  },
  columns: [
    nameColumn,
    {
      name: "Validations",
      type: "integer",
      description:
        "Validations indicates the number of validation rules defined in this configuration",
      cell: ({ spec }) => spec.validations?.length ?? 0,
    },
    {
      name: "ParamKind",
      type: "string",
      description: "ParamKind specifies the kind of resources used to parameterize this policy",
      cell: ({ spec }) => paramKindCell(spec.paramKind),
    },
    ageColumn,
  ],
});
export interface ValidatingAdmissionPolicy extends ObjectOf<typeof ValidatingAdmissionPolicy> {}
