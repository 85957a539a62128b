import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { formatCidr } from "../../schema/values/ip.ts";
import { type IpamSettings, ipamRanges } from "./ipam-ranges.ts";

const usual: IpamSettings = {
  clusterCidr: "10.244.0.0/16",
  serviceCidr: "",
  maskSize: 0,
  maskSizeIpv4: 0,
  maskSizeIpv6: 0,
};
const both = "10.244.0.0/16,2001:db8::/56";

each<[settings: Partial<IpamSettings>, networks: string]>([
  [{}, "10.244.0.0/16 in 24"],
  [{ clusterCidr: "10.244.7.0/16", maskSize: 26 }, "10.244.0.0/16 in 26"],
  [{ maskSizeIpv4: 20 }, "10.244.0.0/16 in 20"],
  [{ clusterCidr: "2001:db8::/56" }, "2001:db8::/56 in 64"],
  [{ clusterCidr: both }, "10.244.0.0/16 in 24, 2001:db8::/56 in 64"],
  [
    { clusterCidr: both, maskSizeIpv4: 20, maskSizeIpv6: 60 },
    "10.244.0.0/16 in 20, 2001:db8::/56 in 60",
  ],
])("ipamRanges: %j are %s", (settings, networks) => {
  const found = ipamRanges({ ...usual, ...settings }).networks;
  expect(found.map(({ cidr, prefix }) => `${formatCidr(cidr)} in ${prefix}`).join(", ")).toBe(
    networks,
  );
});

each<[settings: Partial<IpamSettings>, message: string]>([
  [{ clusterCidr: "" }, "invalid CIDR[0]: <nil> (invalid CIDR address: )"],
  [
    { clusterCidr: "10.0.0.0/16,10.1.0.0/16" },
    "len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily",
  ],
  [
    { clusterCidr: `${both},10.1.0.0/16` },
    "length of clusterCIDRs is:3 more than max allowed of 2",
  ],
  [
    { maskSize: 15 },
    "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family",
  ],
  [{ clusterCidr: "2001:db8::/47" }, "New CIDR set failed; the node CIDR size is too big"],
  [
    { clusterCidr: both, maskSize: 24 },
    "usage of --node-cidr-mask-size is not allowed with dual-stack clusters",
  ],
  [
    { maskSize: 24, maskSizeIpv4: 24 },
    "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags",
  ],
  [
    { maskSizeIpv6: 64 },
    "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster",
  ],
  [
    { clusterCidr: "2001:db8::/56", maskSizeIpv4: 24 },
    "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster",
  ],
  [
    { serviceCidr: "10.0.0.0/24,10.1.0.0/24" },
    "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)",
  ],
])("ipamRanges: %j are invalid: %s", (settings, message) => {
  expect(() => ipamRanges({ ...usual, ...settings })).toThrow(message);
});
