import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import {
  resourceClaimTemplate,
  ResourceClaimTemplate as Stored,
} from "../v1/resource-claim-template.ts";
import { storedAs } from "../v1/versions.ts";

export const ResourceClaimTemplate = kind({
  ...resourceClaimTemplate("v1beta2"),
  stability: "beta",
  conversion: storedAs(Stored, "v1beta2"),
});
export interface ResourceClaimTemplate extends ObjectOf<typeof ResourceClaimTemplate> {}
