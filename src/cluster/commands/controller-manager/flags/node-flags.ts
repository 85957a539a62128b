import { intFlag, stringFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent } from "./controller-flag.ts";

const ipam = "node-ipam-controller";

export const nodeIpamFlags = section("Node-ipam-controller flags", {
  "service-cluster-ip-range": absent(
    ipam,
    "NodeIPAMController.ServiceCIDR",
    stringFlag({ usage: "the range of services' addresses, which no node gets" }),
  ),
  "node-cidr-mask-size": absent(
    ipam,
    "NodeIPAMController.NodeCIDRMaskSize",
    intFlag({ usage: "how many bits of a node's range are fixed (default 24, or 64 for IPv6)" }),
  ),
  "node-cidr-mask-size-ipv4": absent(
    ipam,
    "NodeIPAMController.NodeCIDRMaskSizeIPv4",
    intFlag({ usage: "the same for IPv4 where there is both (default 24)" }),
  ),
  "node-cidr-mask-size-ipv6": absent(
    ipam,
    "NodeIPAMController.NodeCIDRMaskSizeIPv6",
    intFlag({ usage: "the same for IPv6 where there is both (default 64)" }),
  ),
});

export const deviceTaintFlags = section("Device-taint-eviction-controller flags", {
  "concurrent-device-taint-eviction-syncs": absent(
    "device-taint-eviction-controller",
    "DeviceTaintEvictionController.ConcurrentSyncs",
    intFlag({ usage: "how many pods and rules are worked on at a time", default: 8 }),
  ),
});

export const resourceClaimFlags = section("Resourceclaim-controller flags", {
  "concurrent-resourceclaim-syncs": absent(
    "resourceclaim-controller",
    "ResourceClaimController.ConcurrentSyncs",
    intFlag({ usage: "how many claims are worked on at a time", default: 50 }),
  ),
});
