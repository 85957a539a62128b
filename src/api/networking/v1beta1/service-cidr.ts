import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { ServiceCIDR as Stored, serviceCidrIn } from "../v1/service-cidr.ts";

export const ServiceCIDR = kind({
  ...serviceCidrIn("v1beta1"),
  stability: "beta",
  deprecated:
    "networking.k8s.io/v1beta1 ServiceCIDR is deprecated in v1.34+, unavailable in v1.37+",
  conversion: {
    stored: Stored,
    fromStored: (cidr: Stored) => ({ ...cidr, apiVersion: "networking.k8s.io/v1beta1" }),
    toStored: (cidr: Stored) => ({ ...cidr, apiVersion: "networking.k8s.io/v1" }),
  },
});
export interface ServiceCIDR extends ObjectOf<typeof ServiceCIDR> {}
