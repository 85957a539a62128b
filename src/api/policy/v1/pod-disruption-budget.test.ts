import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, statusUpdated, updated } from "../../kind.test-support.ts";
import { write } from "../../write.test-support.ts";
import { PodDisruptionBudget } from "./pod-disruption-budget.ts";

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["a budget may be empty", {}, []],
  ["a selector may be empty", { minAvailable: "100%", selector: {} }, []],
  [
    "one of the numbers is enough, and what is wrong with both is told",
    { minAvailable: -1, maxUnavailable: "200%", unhealthyPodEvictionPolicy: "AlwaysAllow" },
    [
      'spec: Invalid value: {"MinAvailable":-1,"Selector":null,"MaxUnavailable":"200%","UnhealthyPodEvictionPolicy":"AlwaysAllow"}: minAvailable and maxUnavailable cannot be both set',
      "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0",
      'spec.maxUnavailable: Invalid value: "200%": must not be greater than 100%',
    ],
  ],
  [
    "values of a selector are label values",
    { selector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] } },
    [
      "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  [
    "there are two policies for pods that are not ready",
    { unhealthyPodEvictionPolicy: "" },
    [
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ],
])("PodDisruptionBudget: %s", (_, spec, errors) => {
  expect(created(PodDisruptionBudget, { spec })).toEqual(errors);
});

const selecting = (value: string) => ({
  spec: { selector: { matchExpressions: [{ key: "a", operator: "In", values: [value] }] } },
});

test("PodDisruptionBudget: a value that no label can have may stay", () => {
  expect(updated(PodDisruptionBudget, selecting("b c"), selecting("d e"))).toEqual([]);
});

test("PodDisruptionBudget: a value that no label can have may not come in", () => {
  expect(updated(PodDisruptionBudget, selecting("b"), selecting("d e")).length).toBe(1);
});

test("PodDisruptionBudget: counts in the status are not negative, conditions not there twice", () => {
  const condition = {
    type: "A",
    status: "True",
    reason: "B",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const status = { desiredHealthy: -1, expectedPods: -2, conditions: [condition, condition] };
  expect(statusUpdated(PodDisruptionBudget, {}, { status })).toEqual([
    'status.conditions[1].type: Duplicate value: "A"',
    "status.desiredHealthy: Invalid value: -1: must be greater than or equal to 0",
    "status.expectedPods: Invalid value: -2: must be greater than or equal to 0",
  ]);
});

each<[change: string, spec: object, generation: number]>([
  ["nothing", { maxUnavailable: 1, selector: {} }, 3],
  ["an empty map for none", { maxUnavailable: 1, selector: { matchLabels: {} } }, 3],
  ["the number", { maxUnavailable: 2, selector: {} }, 4],
])("PodDisruptionBudget: the generation counts changes of the spec: %s", (_, spec, generation) => {
  const metadata = { generation: 3 };
  const old = read(PodDisruptionBudget, { metadata, spec: { maxUnavailable: 1, selector: {} } });
  const now = read(PodDisruptionBudget, { metadata, spec });
  PodDisruptionBudget.strategy.prepareUpdate?.(now as never, old as never, write);
  expect(now.metadata.generation).toBe(generation);
});

test("PodDisruptionBudget: what is not limited is not available in the table", () => {
  expect(cellsOf(PodDisruptionBudget, { spec: { minAvailable: 2 } })).toEqual(["2", "N/A", 0]);
});
