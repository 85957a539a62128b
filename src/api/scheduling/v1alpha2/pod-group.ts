import { value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isLongName, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { type Condition, validateConditions } from "../../meta/v1/condition.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { dropDisabledFields } from "./disabled-fields.ts";
import { PodGroupSpec, PodGroupStatus } from "./pod-group-spec.ts";

export const PodGroup = kind({
  group: "scheduling.k8s.io",
  version: "v1alpha2",
  kind: "PodGroup",
  plural: "podgroups",
  scope: "Namespaced",
  stability: "alpha",
  doc: "Pods that belong together when they are scheduled.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, PodGroupSpec).expected().doc("How the pods are scheduled."),
    status: value(3, PodGroupStatus).doc("What is known of the group."),
  },
  subresources: ["status"],
  updateRules: ({ spec }, old, { at }) => validateSpecUpdate(spec, old.spec, at.child("spec")),
  statusRules({ spec, status }, old, { at }) {
    const here = at.child("status");
    validateConditions(status.conditions, here.child("conditions"));
    validateClaimStatuses(status, spec, here.child("resourceClaimStatuses"));
    if (!sameValue(status.resourceClaimStatuses, old.status.resourceClaimStatuses))
      validateClaimList(status, here.child("resourceClaimStatuses"));
  },
  strategy: {
    initialStatus: {},
    statusKeeps: ["metadata"],
    prepare: ({ spec }, old) => dropDisabledFields(spec, old?.spec),
    prepareStatus(group, old) {
      const { managedFields, resourceVersion } = group.metadata;
      group.metadata = { ...old.metadata, managedFields, resourceVersion };
      if ((old.spec.resourceClaims ?? []).length === 0) delete group.status.resourceClaimStatuses;
    },
    // The default, which a reader fills in where the feature is off.
    canonicalise({ spec }) {
      spec.disruptionMode ??= "Pod";
    },
  },
  columns: [
    nameColumn,
    {
      name: "Policy",
      type: "string",
      description:
        "SchedulingPolicy defines the scheduling policy for this instance of the PodGroup. Controllers are expected to fill this field by copying it from a PodGroupTemplate. This field is immutable.",
      cell: ({ spec }) => (spec.schedulingPolicy.gang ? "Gang" : "Basic"),
    },
    {
      name: "Workload",
      type: "string",
      description: "Name of the referenced Workload object",
      cell: ({ spec }) => spec.podGroupTemplateRef?.workload?.workloadName ?? "<none>",
    },
    {
      name: "Status",
      type: "string",
      description: "Status of the PodGroup",
      cell: ({ status }) => statusCell(status.conditions ?? []),
    },
    ageColumn,
  ],
});
export interface PodGroup extends ObjectOf<typeof PodGroup> {}

function statusCell(conditions: readonly Condition[]): string {
  const disrupted = conditions.findLast(({ type }) => type === "DisruptionTarget");
  if (disrupted) return disrupted.reason;
  const scheduled = conditions.findLast(({ type }) => type === "PodGroupScheduled");
  if (!scheduled) return "Pending";
  return scheduled.status === "True" ? "Scheduled" : "Unschedulable";
}

/** What is fixed, and what may not be set while its feature is off. */
const updates = [
  ["podGroupTemplateRef", "immutable"],
  ["schedulingPolicy", "immutable"],
  ["schedulingConstraints", "off"],
  ["resourceClaims", "immutable"],
  ["disruptionMode", "off"],
  ["priorityClassName", "off"],
  ["priority", "off"],
] as const;

function validateSpecUpdate(spec: PodGroupSpec, old: PodGroupSpec, at: At): void {
  for (const [field, rule] of updates) {
    if (sameValue(spec[field], old[field])) continue;
    if (rule === "immutable") at.invalid(field, null, "field is immutable");
    else if (spec[field] !== undefined) at.forbidden(field, "");
  }
}

function validateClaimStatuses(status: PodGroupStatus, spec: PodGroupSpec, at: At): void {
  for (const [i, { name }] of (status.resourceClaimStatuses ?? []).entries())
    if (!spec.resourceClaims?.some((claim) => claim.name === name))
      at.index(i).invalid("name", name, "must match the name of an entry in `spec.resourceClaims`");
}

const maxClaims = 4;

function validateClaimList({ resourceClaimStatuses: statuses = [] }: PodGroupStatus, at: At): void {
  if (statuses.length > maxClaims) {
    at.tooMany("", statuses.length, maxClaims);
    return;
  }
  for (const [i, status] of statuses.entries())
    if (statuses.findIndex(({ name }) => name === status.name) < i) at.duplicate(`[${i}]`, status);
  for (const [i, { resourceClaimName: name }] of statuses.entries())
    if (name !== undefined) at.index(i).invalidEach("resourceClaimName", name, isLongName(name));
}
