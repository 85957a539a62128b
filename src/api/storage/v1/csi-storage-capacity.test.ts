import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { createErrors, read, updateErrors } from "../storage-object.test-support.ts";
import { CSIStorageCapacity } from "./csi-storage-capacity.ts";

for (const recorded of recordedCases("csistoragecapacities"))
  test(`CSIStorageCapacity: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(CSIStorageCapacity as never, recorded);
  });

const capacity = (more: object = {}) => ({ storageClassName: "fast", ...more });
const inZone = (value: string) => ({
  nodeTopology: { matchExpressions: [{ key: "zone", operator: "In", values: [value] }] },
});

each<[rule: string, object: object, errors: readonly string[]]>([
  [
    "capacity is not below zero",
    capacity({ capacity: "-1" }),
    ['capacity: Invalid value: "-1": must be greater than or equal to 0'],
  ],
  ["the largest volume is not looked at", capacity({ maximumVolumeSize: "-1" }), []],
  [
    "a condition needs values",
    capacity({ nodeTopology: { matchExpressions: [{ key: "a", operator: "In" }] } }),
    [
      "nodeTopology.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
])("CSIStorageCapacity: %s", (_, object, errors) => {
  expect(createErrors(CSIStorageCapacity, object)).toEqual(errors);
});

each<[rule: string, object: object, old: object, errors: readonly string[]]>([
  [
    "the nodes do not change",
    capacity(inZone("b")),
    capacity(inZone("a")),
    [
      'nodeTopology: Invalid value: {"matchExpressions":[{"key":"zone","operator":"In","values":["b"]}]}: field is immutable',
    ],
  ],
  [
    "nodes that are no longer named are shown as none",
    capacity(),
    capacity(inZone("a")),
    ["nodeTopology: Invalid value: null: field is immutable"],
  ],
  [
    "a value that no label can have stays where it was",
    capacity({ ...inZone("not a value"), capacity: "2Gi" }),
    capacity({ ...inZone("not a value"), capacity: "1Gi" }),
    [],
  ],
])("CSIStorageCapacity: %s", (_, object, old, errors) => {
  expect(updateErrors(CSIStorageCapacity, object, old)).toEqual(errors);
});

test("CSIStorageCapacity: old labels of nodes are told, each in its own words", () => {
  const object = read(
    CSIStorageCapacity,
    capacity({
      nodeTopology: {
        matchLabels: { "beta.kubernetes.io/arch": "arm64" },
        matchExpressions: [{ key: "beta.kubernetes.io/os", operator: "Exists" }],
      },
    }),
  );
  expect(CSIStorageCapacity.strategy.warnings?.(object as never, undefined)).toEqual([
    'nodeTopology.matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
    'nodeTopology.matchLabels.beta.kubernetes.io/arch: deprecated since v1.14; use "kubernetes.io/arch" instead',
  ]);
});
