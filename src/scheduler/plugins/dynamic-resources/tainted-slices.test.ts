import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import type { DeviceTaintRule } from "../../../api/resource/v1beta2/device-taint-rule.ts";
import { withRules } from "./tainted-slices.ts";

const slice = {
  metadata: { name: "s" },
  spec: {
    driver: "d",
    pool: { name: "p", generation: 1, resourceSliceCount: 1 },
    devices: [{ name: "x", taints: [{ key: "own", effect: "NoSchedule" }] }, { name: "y" }],
  },
} as unknown as ResourceSlice;

type Selector = DeviceTaintRule["spec"]["deviceSelector"];

each<[string, readonly Selector[], readonly string[]]>([
  ["no rule", [], ["own", ""]],
  ["a rule without a selector is for all", [undefined], ["own,r0", "r0"]],
  ["an empty selector, too", [{}], ["own,r0", "r0"]],
  ["of a device", [{ device: "y" }], ["own", "r0"]],
  ["of the driver and the pool", [{ driver: "d", pool: "p" }], ["own,r0", "r0"]],
  [
    "of others",
    [{ driver: "e" }, { pool: "q" }, { device: "z" }, { driver: "d", pool: "q" }],
    ["own", ""],
  ],
  ["several", [{ device: "x" }, {}], ["own,r0,r1", "r1"]],
])("withRules: %s", (_, selectors, wanted) => {
  const rules = selectors.map((deviceSelector, i) => ({
    spec: { deviceSelector, taint: { key: `r${i}`, effect: "NoSchedule" } },
  })) as unknown as readonly DeviceTaintRule[];
  const { devices = [] } = withRules(slice, rules).spec;
  expect(devices.map(({ taints = [] }) => taints.map(({ key }) => key).join())).toEqual(wanted);
});
