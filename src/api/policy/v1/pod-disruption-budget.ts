import { value } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";

import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { validateConditions } from "../../meta/v1/condition.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { type LabelSelector, validateLabelSelector } from "../../meta/v1/label-selector.ts";
import {
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
  validatePodDisruptionBudgetSpec,
} from "./pod-disruption-budget-spec.ts";

const noStatus = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

export const PodDisruptionBudget = kind({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  shortNames: ["pdb"],
  scope: "Namespaced",
  doc: "Limits how many of a set of pods are evicted at the same time.",
  name: pathSegmentName,
  metadataRules: false,
  fields: {
    spec: value(2, PodDisruptionBudgetSpec).doc("How many pods may be disrupted at a time."),
    status: value(3, PodDisruptionBudgetStatus).doc("How many may be at present."),
  },
  subresources: ["status"],
  rules: [
    ({ spec }, at) =>
      validatePodDisruptionBudgetSpec(spec, at.child("spec"), { allowInvalidValues: false }),
  ],
  updateRules: ({ spec }, old, { at }) =>
    validatePodDisruptionBudgetSpec(spec, at.child("spec"), {
      allowInvalidValues: isInvalid(old.spec.selector),
    }),
  statusRules({ status }, _old, { at }) {
    const here = at.child("status");
    validateConditions(status.conditions, here.child("conditions"));
    for (const field of [
      "disruptionsAllowed",
      "currentHealthy",
      "desiredHealthy",
      "expectedPods",
    ] as const)
      if (status[field] < 0)
        here.invalid(field, status[field], "must be greater than or equal to 0");
  },
  strategy: {
    initialStatus: noStatus,
    generation: { spec: PodDisruptionBudgetSpec },
    conditionalUpdateOnly: true,
  },
  columns: [
    nameColumn,
    {
      name: "Min Available",
      type: "string",
      description: "The minimum number of pods that must be available.",
      cell: ({ spec }) => `${spec.minAvailable ?? "N/A"}`,
    },
    {
      name: "Max Unavailable",
      type: "string",
      description: "The maximum number of pods that may be unavailable.",
      cell: ({ spec }) => `${spec.maxUnavailable ?? "N/A"}`,
    },
    {
      name: "Allowed Disruptions",
      type: "integer",
      description: "Calculated number of pods that may be disrupted at this time.",
      cell: ({ status }) => status.disruptionsAllowed,
    },
    ageColumn,
  ],
});
export interface PodDisruptionBudget extends ObjectOf<typeof PodDisruptionBudget> {}

function isInvalid(selector: LabelSelector | undefined): boolean {
  const at = At.root();
  validateLabelSelector(selector, at);
  return at.errors.length > 0;
}
