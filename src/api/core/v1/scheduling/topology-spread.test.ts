import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { faults } from "../pod/pod.test-support.ts";
import {
  type TopologySpreadConstraint,
  validateTopologySpreadConstraints,
} from "./topology-spread.ts";

const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: "zone",
  whenUnsatisfiable: "DoNotSchedule",
  ...more,
});

each<[string, readonly TopologySpreadConstraint[], readonly string[]]>([
  ["one may be plain", [constraint()], []],
  [
    "what is needed is there",
    [constraint({ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "" })],
    [
      "[0].maxSkew: Invalid value: 0: must be greater than zero",
      "[0].topologyKey: Required value: can not be empty",
      '[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
  ],
  [
    "a place is named once for each action",
    [constraint(), constraint({ whenUnsatisfiable: "ScheduleAnyway" }), constraint()],
    ['[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"'],
  ],
  [
    "a number of places goes with DoNotSchedule",
    [constraint({ whenUnsatisfiable: "ScheduleAnyway", minDomains: 0 })],
    [
      "[0].minDomains: Invalid value: 0: must be greater than zero",
      "[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
    ],
  ],
  [
    "policies are known",
    [constraint({ nodeAffinityPolicy: "", nodeTaintsPolicy: "No" })],
    [
      '[0].nodeAffinityPolicy: Unsupported value: "": supported values: "Honor", "Ignore"',
      '[0].nodeTaintsPolicy: Unsupported value: "No": supported values: "Honor", "Ignore"',
    ],
  ],
])("validateTopologySpreadConstraints: %s", (_, constraints, expected) => {
  expect(faults((at) => validateTopologySpreadConstraints(constraints, at))).toEqual(expected);
});

test("validateTopologySpreadConstraints: pods from before v1.34 keep their rules for keys", () => {
  const merged = constraint({
    matchLabelKeys: ["a"],
    labelSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
  });
  const rules = (options: object) =>
    faults((at) => validateTopologySpreadConstraints([merged], at, options));
  expect(rules({})).toEqual([]);
  expect(rules({ oldPodViolatesMatchLabelKeysValidation: true })).toEqual([
    '[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
  ]);
});

test("validateTopologySpreadConstraints: bad selectors pass where they were before", () => {
  const bad = constraint({ labelSelector: { matchExpressions: [{ key: "a", operator: "In" }] } });
  const rules = (options: object) =>
    faults((at) => validateTopologySpreadConstraints([bad], at, options)).length;
  expect(rules({})).toBe(1);
  expect(rules({ allowInvalidTopologySpreadConstraintLabelSelector: true })).toBe(0);
});
