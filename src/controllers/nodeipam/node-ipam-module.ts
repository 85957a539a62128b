import { controllerModule } from "../controller-module.ts";
import { boolSetting, intSetting, stringSetting } from "../controller-setting.ts";
import { ipamRanges } from "./ipam-ranges.ts";
import { nodeIpamController } from "./node-ipam-controller.ts";

export const nodeIpamModule = controllerModule({
  name: "node-ipam-controller",
  aliases: ["nodeipam"],
  account: "node-controller",
  settings: {
    allocates: boolSetting({
      flag: "allocate-node-cidrs",
      field: "KubeCloudShared.AllocateNodeCIDRs",
      section: "Generic",
      usage: "whether to allocate pod address ranges to nodes",
      default: false,
    }),
    clusterCidr: stringSetting({
      flag: "cluster-cidr",
      field: "KubeCloudShared.ClusterCIDR",
      section: "Generic",
      usage: "the range of pod addresses; needs --allocate-node-cidrs",
      default: "",
    }),
    allocatorType: stringSetting({
      flag: "cidr-allocator-type",
      field: "KubeCloudShared.CIDRAllocatorType",
      section: "Generic",
      usage: "the allocator of node ranges",
      default: "RangeAllocator",
    }),
    serviceCidr: stringSetting({
      flag: "service-cluster-ip-range",
      field: "NodeIPAMController.ServiceCIDR",
      usage: "the range of service addresses, which is not allocated to nodes",
      default: "",
    }),
    maskSize: intSetting({
      flag: "node-cidr-mask-size",
      field: "NodeIPAMController.NodeCIDRMaskSize",
      usage: "the mask size of a node's range (default 24, or 64 for IPv6)",
      default: 0,
    }),
    maskSizeIpv4: intSetting({
      flag: "node-cidr-mask-size-ipv4",
      field: "NodeIPAMController.NodeCIDRMaskSizeIPv4",
      usage: "the IPv4 mask size in a dual-stack cluster (default 24)",
      default: 0,
    }),
    maskSizeIpv6: intSetting({
      flag: "node-cidr-mask-size-ipv6",
      field: "NodeIPAMController.NodeCIDRMaskSizeIPv6",
      usage: "the IPv6 mask size in a dual-stack cluster (default 64)",
      default: 0,
    }),
  },
  create: (settings) =>
    settings.allocates ? { run: [nodeIpamController(ipamRanges(settings))] } : undefined,
});
