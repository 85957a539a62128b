import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { resourceSlice, ResourceSlice as Stored } from "../v1/resource-slice.ts";
import { storedAs } from "../v1/versions.ts";

export const ResourceSlice = kind({
  ...resourceSlice("v1beta2"),
  stability: "beta",
  conversion: storedAs(Stored, "v1beta2"),
});
export interface ResourceSlice extends ObjectOf<typeof ResourceSlice> {}
