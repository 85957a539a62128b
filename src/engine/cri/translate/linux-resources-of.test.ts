import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { ContainerResources } from "../../../cri/runtime-types.ts";
import type { CgroupFeatures } from "../../../platform/cgroups/cgroup-features.ts";
import type { LinuxResources } from "../../../platform/cgroups/linux-resources.ts";
import { linuxResourcesOf } from "./linux-resources-of.ts";

const all: CgroupFeatures = { swap: true, hugetlb: true };

each<[name: string, ContainerResources, CgroupFeatures, LinuxResources]>([
  ["no limits", {}, all, {}],
  [
    "requests and limits",
    { cpuRequestMillis: 250, cpuLimitMillis: 500, memoryRequestBytes: 1, memoryLimitBytes: 4096 },
    all,
    {
      cpuShares: 256,
      cpuQuota: 50000,
      cpuPeriod: 100000,
      memoryLimitBytes: 4096,
      memorySwapBytes: 4096,
    },
  ],
  [
    "a limit is the request if there is none",
    { cpuLimitMillis: 1000 },
    all,
    { cpuShares: 1024, cpuQuota: 100000, cpuPeriod: 100000 },
  ],
  [
    "what a kubelet computed; 0 is not set",
    {
      linux: {
        cpuShares: 10,
        cpuQuota: -1,
        cpuPeriod: 0,
        memoryLimitBytes: 0,
        memorySwapLimitBytes: 0,
        cpusetCpus: "",
        cpusetMems: "0",
        hugepageLimits: [{ pageSize: "2MB", limit: 0 }],
        unified: { "memory.high": "5" },
      },
    },
    all,
    {
      cpuShares: 10,
      cpuQuota: -1,
      cpusetMems: "0",
      hugepageLimits: [{ pageSize: "2MB", limitBytes: 0 }],
      unified: { "memory.high": "5" },
    },
  ],
  [
    "a limit of the swap",
    { linux: { memoryLimitBytes: 100, memorySwapLimitBytes: 150 } },
    all,
    { memoryLimitBytes: 100, memorySwapBytes: 150 },
  ],
  [
    "what the node does not know is left out",
    {
      linux: {
        memoryLimitBytes: 100,
        memorySwapLimitBytes: 150,
        hugepageLimits: [{ pageSize: "2MB", limit: 1 }],
      },
    },
    { swap: false, hugetlb: false },
    { memoryLimitBytes: 100 },
  ],
])("linuxResourcesOf: %s", (_name, resources, features, expected) => {
  expect(linuxResourcesOf(resources, features)).toEqual(expected);
});
