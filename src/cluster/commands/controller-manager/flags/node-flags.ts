import { intFlag, stringFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent } from "./controller-flag.ts";

const ipam = "node-ipam-controller";

export const nodeIpamFlags = section("Node-ipam-controller flags", {
  "service-cluster-ip-range": absent(
    ipam,
    "NodeIPAMController.ServiceCIDR",
    stringFlag({ usage: "the range of service addresses, which is not allocated to nodes" }),
  ),
  "node-cidr-mask-size": absent(
    ipam,
    "NodeIPAMController.NodeCIDRMaskSize",
    intFlag({ usage: "the mask size of a node's range (default 24, or 64 for IPv6)" }),
  ),
  "node-cidr-mask-size-ipv4": absent(
    ipam,
    "NodeIPAMController.NodeCIDRMaskSizeIPv4",
    intFlag({ usage: "the IPv4 mask size in a dual-stack cluster (default 24)" }),
  ),
  "node-cidr-mask-size-ipv6": absent(
    ipam,
    "NodeIPAMController.NodeCIDRMaskSizeIPv6",
    intFlag({ usage: "the IPv6 mask size in a dual-stack cluster (default 64)" }),
  ),
});

export const deviceTaintFlags = section("Device-taint-eviction-controller flags", {
  "concurrent-device-taint-eviction-syncs": absent(
    "device-taint-eviction-controller",
    "DeviceTaintEvictionController.ConcurrentSyncs",
    intFlag({ usage: "how many pods and rules are reconciled at a time", default: 8 }),
  ),
});

export const resourceClaimFlags = section("Resourceclaim-controller flags", {
  "concurrent-resourceclaim-syncs": absent(
    "resourceclaim-controller",
    "ResourceClaimController.ConcurrentSyncs",
    intFlag({ usage: "how many claims are reconciled at a time", default: 50 }),
  ),
});
