import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, statusUpdated, updated } from "../../kind.test-support.ts";
import { write } from "../../write.test-support.ts";
import { PodGroup } from "./pod-group.ts";

const gang = { schedulingPolicy: { gang: { minCount: 2 } } };
const ref = (workloadName: string, podGroupTemplateName: string) => ({
  ...gang,
  podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } },
});

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["a policy is enough", { schedulingPolicy: { basic: {} } }, []],
  [
    "a policy is one of two",
    {},
    ['spec.schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`'],
  ],
  [
    "and not both",
    { schedulingPolicy: { basic: {}, gang: { minCount: 1 } } },
    [
      'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
    ],
  ],
  [
    "a gang has a least number",
    { schedulingPolicy: { gang: {} } },
    ["spec.schedulingPolicy.gang.minCount: Required value"],
  ],
  [
    "which is at least one",
    { schedulingPolicy: { gang: { minCount: -1 } } },
    ["spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1"],
  ],
  [
    "a template is that of a workload",
    { ...gang, podGroupTemplateRef: {} },
    ['spec.podGroupTemplateRef: Invalid value: "": must specify one of: `workload`'],
  ],
  [
    "and both have names",
    ref("", "a.b"),
    [
      "spec.podGroupTemplateRef.workload.workloadName: Required value",
      'spec.podGroupTemplateRef.workload.podGroupTemplateName: Invalid value: "a.b": must not contain dots',
    ],
  ],
])("PodGroup: %s", (_, spec, errors) => {
  expect(created(PodGroup, { spec })).toEqual(errors);
});

test("PodGroup: policy and template stay, and what is off may not change", () => {
  const old = { spec: { ...ref("w", "t"), disruptionMode: "Pod" } };
  const now = { spec: { schedulingPolicy: { basic: {} }, disruptionMode: "PodGroup" } };
  expect(updated(PodGroup, old, now)).toEqual([
    "spec.podGroupTemplateRef: Invalid value: null: field is immutable",
    "spec.schedulingPolicy: Invalid value: null: field is immutable",
    "spec.disruptionMode: Forbidden",
  ]);
});

test("PodGroup: what belongs to features that are off is not taken", () => {
  const group = read(PodGroup, {
    spec: {
      ...gang,
      schedulingConstraints: { topology: [{ key: "zone" }] },
      resourceClaims: [{ name: "c" }],
      disruptionMode: "PodGroup",
      priorityClassName: "p",
      priority: 3,
    },
  });
  PodGroup.strategy.prepareCreate?.(group as never, write);
  PodGroup.strategy.canonicalise?.(group as never);
  expect(group.spec).toEqual({ podGroupTemplateRef: null, ...gang, disruptionMode: "Pod" });
});

test("PodGroup: statuses are of claims that the group has, each once", () => {
  const spec = { ...gang, resourceClaims: [{ name: "c" }] };
  const status = {
    resourceClaimStatuses: [{ name: "c", resourceClaimName: "A" }, { name: "c" }, { name: "d" }],
  };
  const errors = statusUpdated(PodGroup, { spec }, { spec, status });
  expect(errors.map((error) => error.slice(0, 80))).toEqual([
    'status.resourceClaimStatuses[2].name: Invalid value: "d": must match the name of',
    'status.resourceClaimStatuses[1]: Duplicate value: {"name":"c"}',
    'status.resourceClaimStatuses[0].resourceClaimName: Invalid value: "A": a lowerca',
  ]);
});

const condition = (type: string, status: string, reason: string) => ({ type, status, reason });

each<[what: string, conditions: object[], cell: string]>([
  ["nothing is known", [], "Pending"],
  ["it is scheduled", [condition("PodGroupScheduled", "True", "A")], "Scheduled"],
  ["it is not", [condition("PodGroupScheduled", "False", "A")], "Unschedulable"],
  [
    "it is being evicted",
    [condition("DisruptionTarget", "True", "Why"), condition("PodGroupScheduled", "True", "A")],
    "Why",
  ],
])("PodGroup: in a table, %s", (_, conditions, cell) => {
  expect(cellsOf(PodGroup, { spec: ref("w", "t"), status: { conditions } })).toEqual([
    "Gang",
    "w",
    cell,
  ]);
});
