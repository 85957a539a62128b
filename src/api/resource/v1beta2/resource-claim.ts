import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { resourceClaim, ResourceClaim as Stored } from "../v1/resource-claim.ts";
import { storedAs } from "../v1/versions.ts";

export const ResourceClaim = kind({
  ...resourceClaim("v1beta2"),
  stability: "beta",
  conversion: storedAs(Stored, "v1beta2"),
});
export interface ResourceClaim extends ObjectOf<typeof ResourceClaim> {}
