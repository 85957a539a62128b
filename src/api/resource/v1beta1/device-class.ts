import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { deviceClass, DeviceClass as Stored } from "../v1/device-class.ts";
import { storedAs } from "../v1/versions.ts";

export const DeviceClass = kind({
  ...deviceClass("v1beta1"),
  stability: "beta",
  conversion: storedAs(Stored, "v1beta1"),
});
export interface DeviceClass extends ObjectOf<typeof DeviceClass> {}
