import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { storedAs } from "../v1/versions.ts";
import { deviceTaintRule, DeviceTaintRule as Stored } from "../v1alpha3/device-taint-rule.ts";

export const DeviceTaintRule = kind({
  ...deviceTaintRule("v1beta2"),
  stability: "beta",
  conversion: storedAs(Stored, "v1beta2"),
});
export interface DeviceTaintRule extends ObjectOf<typeof DeviceTaintRule> {}
