import { durationFlag, floatFlag, intFlag, stringFlag } from "../../../../cli/flag.ts";
import { defaultSettings } from "../../../../controllers/controller-settings.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent, told } from "./controller-flag.ts";

export const nodeLifecycleFlags = section("Node-lifecycle-controller flags", {
  "node-monitor-grace-period": told(
    "nodeMonitorGracePeriodMs",
    "NodeLifecycleController.NodeMonitorGracePeriod",
    durationFlag({
      usage:
        "how long a node may be silent before it counts as unreachable; several times as long as kubelets take between two signs of life",
      default: defaultSettings.nodeMonitorGracePeriodMs,
    }),
  ),
  "node-startup-grace-period": told(
    "nodeStartupGracePeriodMs",
    "NodeLifecycleController.NodeStartupGracePeriod",
    durationFlag({
      usage: "the same of a node that is new",
      default: defaultSettings.nodeStartupGracePeriodMs,
    }),
  ),
  "node-eviction-rate": told(
    "nodeEvictionRate",
    "NodeLifecycleController.NodeEvictionRate",
    floatFlag({
      usage: "from how many nodes a second pods are removed when nodes fail in a healthy zone",
      default: defaultSettings.nodeEvictionRate,
    }),
  ),
  "secondary-node-eviction-rate": told(
    "secondaryNodeEvictionRate",
    "NodeLifecycleController.SecondaryNodeEvictionRate",
    floatFlag({
      usage: "the same in an unhealthy zone that is large; in a small one it is 0",
      default: defaultSettings.secondaryNodeEvictionRate,
    }),
  ),
  "large-cluster-size-threshold": told(
    "largeClusterSizeThreshold",
    "NodeLifecycleController.LargeClusterSizeThreshold",
    intFlag({
      usage: "a zone of more nodes than this is large",
      default: defaultSettings.largeClusterSizeThreshold,
    }),
  ),
  "unhealthy-zone-threshold": told(
    "unhealthyZoneThreshold",
    "NodeLifecycleController.UnhealthyZoneThreshold",
    floatFlag({
      usage: "which part of a zone's nodes, at least 3, must fail for it to be unhealthy",
      default: defaultSettings.unhealthyZoneThreshold,
    }),
  ),
});

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
