import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { ipAddressIn, IPAddress as Stored } from "../v1/ip-address.ts";

export const IPAddress = kind({
  ...ipAddressIn("v1beta1"),
  stability: "beta",
  deprecated: "networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+",
  conversion: {
    stored: Stored,
    fromStored: (address: Stored) => ({ ...address, apiVersion: "networking.k8s.io/v1beta1" }),
    toStored: (address: Stored) => ({ ...address, apiVersion: "networking.k8s.io/v1" }),
  },
});
export interface IPAddress extends ObjectOf<typeof IPAddress> {}
