import { value } from "../../../schema/language/field.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { resourceClaim, ResourceClaim as Stored } from "../v1/resource-claim.ts";
import { resourceClaimStatus } from "../v1/resource-claim-status.ts";
import { converted } from "./converted.ts";
import { fromStoredSpec, ResourceClaimSpec, toStoredSpec } from "./resource-claim-spec.ts";

export const ResourceClaim = kind(
  converted(resourceClaim("v1"), {
    stored: Stored,
    fields: {
      spec: value(2, ResourceClaimSpec).expected().doc("What the claim asks for."),
      status: value(3, resourceClaimStatus("v1beta1")).doc("What became of it."),
    },
    toStored: (claim) => ({
      ...claim,
      apiVersion: "resource.k8s.io/v1",
      spec: toStoredSpec(claim.spec),
    }),
    fromStored: (claim) => ({
      ...claim,
      apiVersion: "resource.k8s.io/v1beta1",
      spec: fromStoredSpec(claim.spec),
    }),
  }),
);
export interface ResourceClaim extends ObjectOf<typeof ResourceClaim> {}
