import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { nodesOf } from "../topology/numa-mask.ts";
import { deviceHints } from "./device-hints.ts";
import { devicesOf } from "./devices.test-support.ts";

interface Case {
  readonly required: number;
  readonly devices: string;
  readonly available?: string;
  readonly reusable?: string;
  readonly numaNodes?: readonly number[];
}

const words = (text: string | undefined): readonly string[] => text?.split(" ") ?? [];

each<[what: string, given: Case, expected: string]>([
  ["each node has one", { required: 1, devices: "a@0 b@1" }, "0! 1! 01"],
  ["two are needed", { required: 2, devices: "a@0 b@1" }, "01!"],
  ["one node is used up", { required: 1, devices: "a@0 b@1", available: "b" }, "1! 01"],
  [
    "two would fit one node, were they free",
    { required: 2, devices: "a@0 b@0 c@1", available: "b c" },
    "01",
  ],
  ["a device is near both", { required: 1, devices: "a@01" }, "0! 1! 01"],
  ["devices without nodes do not count", { required: 1, devices: "a b@1" }, "1!"],
  [
    "what init containers used is included",
    { required: 2, devices: "a@0 b@0 c@1 d@1", available: "a c d", reusable: "b" },
    "0! 01",
  ],
  [
    "nodes without devices are left out",
    { required: 1, devices: "a@2 b@5", numaNodes: [0, 1, 2, 3, 4, 5] },
    "2! 5! 25",
  ],
  [
    "nodes that the machine does not have are left out",
    { required: 1, devices: "a@0 b@7", numaNodes: [0, 1] },
    "0!",
  ],
])("deviceHints: %s", (_, { devices, numaNodes = [0, 1], ...one }, expected) => {
  const all = devicesOf(devices);
  const hints = deviceHints({
    devices: new Map(all.map((device) => [device.id, device])),
    available: new Set(one.available ? words(one.available) : all.map(({ id }) => id)),
    reusable: new Set(words(one.reusable)),
    required: one.required,
    numaNodes,
  });
  const texts = hints.map(
    ({ affinity = 0n, isPreferred }) => nodesOf(affinity).join("") + (isPreferred ? "!" : ""),
  );
  expect(texts.join(" ")).toBe(expected);
});
