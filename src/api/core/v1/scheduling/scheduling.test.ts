import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { faults } from "../pod/pod.test-support.ts";
import {
  type PodResourceClaim,
  validatePodResourceClaims,
  validateReadinessGates,
  validateSchedulingGates,
  validateSchedulingGroup,
} from "./scheduling.ts";

const claims = (list: readonly PodResourceClaim[], isMirror = false) =>
  faults((at) => validatePodResourceClaims(list, at.child("resourceClaims"), { isMirror }));

each<[string, readonly PodResourceClaim[], readonly string[]]>([
  [
    "one names a claim or a template",
    [
      { name: "a", resourceClaimName: "x" },
      { name: "b", resourceClaimTemplateName: "y" },
    ],
    [],
  ],
  [
    "names are given once",
    [
      { name: "a", resourceClaimName: "x" },
      { name: "a", resourceClaimName: "x" },
    ],
    ['resourceClaims[1].name: Duplicate value: "a"'],
  ],
  [
    "and not empty",
    [{ name: "", resourceClaimName: "x" }],
    ["resourceClaims[0].name: Required value"],
  ],
  [
    "not both",
    [{ name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" }],
    [
      'resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":"x","ResourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
    ],
  ],
  [
    "and not none",
    [{ name: "a" }],
    [
      'resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
  ],
])("validatePodResourceClaims: %s", (_, list, expected) => {
  expect(claims(list)).toEqual(expected);
});

test("validatePodResourceClaims: static pods have none", () => {
  expect(claims([{ name: "a", resourceClaimName: "x" }], true)).toEqual([
    "[]: Forbidden: static pods do not support resource claims",
  ]);
});

test("validateSchedulingGates: names are given once", () => {
  expect(faults((at) => validateSchedulingGates([{ name: "a" }, { name: "a" }], at))).toEqual([
    '[1]: Duplicate value: "a"',
  ]);
});

test("validateReadinessGates: conditions are qualified names", () => {
  const gates = [{ conditionType: "example.com/a" }, { conditionType: "a/b/c" }];
  expect(faults((at) => validateReadinessGates(gates, at))).toHaveLength(1);
});

test("validateSchedulingGroup: the group is named", () => {
  expect(faults((at) => validateSchedulingGroup({}, at))).toEqual([
    "podGroupName: Invalid value: null: must specify one of: `podGroupName`",
  ]);
  expect(faults((at) => validateSchedulingGroup({ podGroupName: "a" }, at))).toEqual([]);
});
