import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { createErrors, updateErrors } from "../storage-object.test-support.ts";
import { CSINode } from "./csi-node.ts";

for (const recorded of recordedCases("csinodes"))
  test(`CSINode: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(CSINode as never, recorded);
  });

const node = (...drivers: readonly object[]) => ({
  spec: { drivers: drivers.map((driver) => ({ name: "d", nodeID: "i", ...driver })) },
});

each<[rule: string, object: object, errors: readonly string[]]>([
  ["a node has no drivers at first", node(), []],
  ["a driver has a name in any case", node({ name: "CSI.Example.com" }), []],
  [
    "a driver's name is short",
    node({ name: "d".repeat(64) }),
    ["spec.drivers[0].name: Too long: may not be more than 63 bytes"],
  ],
  ["a node's name is counted in bytes", node({ nodeID: "i".repeat(256) }), []],
  [
    "a node's name is not too long",
    node({ nodeID: "ö".repeat(129) }),
    [`spec.drivers[0].nodeID: Invalid value: "${"ö".repeat(129)}": must be 256 characters or less`],
  ],
  [
    "no fewer than no volumes are used",
    node({ allocatable: { count: -1 } }),
    ["spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0"],
  ],
  ["no volumes at all may be used", node({ allocatable: { count: 0 } }), []],
])("CSINode: %s", (_, object, errors) => {
  expect(createErrors(CSINode, object)).toEqual(errors);
});

each<[rule: string, object: object, old: object, errors: readonly string[]]>([
  [
    "how many volumes a node can use may change",
    node({ allocatable: { count: 2 } }),
    node({ allocatable: { count: 1 } }),
    [],
  ],
  ["drivers come and go", node({ name: "e" }), node({}, { name: "f" }), []],
  [
    "the keys of a driver do not change, and are shown without its count",
    node({ topologyKeys: ["b"], allocatable: { count: 2 } }),
    node({ topologyKeys: ["a"], allocatable: { count: 1 } }),
    [
      'spec.drivers: Invalid value: {"Name":"d","NodeID":"i","TopologyKeys":["b"],"Allocatable":null}: field is immutable',
    ],
  ],
])("CSINode: %s", (_, object, old, errors) => {
  expect(updateErrors(CSINode, object, old)).toEqual(errors);
});
