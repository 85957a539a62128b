import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type NodeIds, type NodeIdsOptions, nodeIds } from "./node-ids.ts";

const usual = { idsPerPod: 65_536, maxPods: 110 };

each<[NodeIdsOptions, NodeIds]>([
  [usual, { first: 65_536, blocks: 65_535, idsPerPod: 65_536 }],
  [
    { idsPerPod: 131_072, maxPods: 110 },
    { first: 131_072, blocks: 32_767, idsPerPod: 131_072 },
  ],
  [
    { ...usual, subordinate: "0: kubelet 65536 7208960\n" },
    { first: 65_536, blocks: 110, idsPerPod: 65_536 },
  ],
])("nodeIds: %j", (options, expected) => {
  expect(nodeIds(options)).toEqual(expected);
});

each<[Partial<NodeIdsOptions>, message: string]>([
  [{ idsPerPod: 70_000 }, "kubelet user namespace length 70000 is not a multiple of 65536"],
  [{ idsPerPod: 2 ** 31 }, "kubelet user assigned IDs are not enough to support 110 pods"],
  [
    { subordinate: "0: kubelet 1 7208960" },
    "kubelet user assigned ID 1 is not a multiple of 65536",
  ],
  [
    { subordinate: "0: kubelet 0 7208960" },
    "kubelet user assigned ID 0 must be greater or equal to 65536",
  ],
  [
    { subordinate: "0: kubelet 65536 7208961" },
    "kubelet user assigned IDs length 7208961 is not a multiple of 65536",
  ],
  [
    { subordinate: "0: kubelet 65536 6553600" },
    "kubelet user assigned IDs are not enough to support 110 pods",
  ],
  [
    { subordinate: "0: kubelet 65536 65536\n1: kubelet 131072 65536\n" },
    'error parsing line "0: kubelet 65536 65536\\n1: kubelet 131072 65536\\n": it must contain only one line',
  ],
  [{ subordinate: "" }, 'invalid line ""'],
  [{ subordinate: "0: kubelet 65536" }, 'invalid line "0: kubelet 65536"'],
  [
    { subordinate: "0: kubelet x 65536" },
    'error parsing line "0: kubelet x 65536": strconv.ParseUint: parsing "x": invalid syntax',
  ],
  [
    { subordinate: "0: kubelet 65536 4294967296" },
    'error parsing line "0: kubelet 65536 4294967296": strconv.ParseUint: parsing "4294967296": value out of range',
  ],
])("nodeIds: rejects %j", (options, message) => {
  expect(() => nodeIds({ ...usual, ...options })).toThrow(new Error(message));
});
