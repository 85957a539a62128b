import { linuxResources } from "../../../cri/linux-resources.ts";
import type { ContainerResources } from "../../../cri/runtime-types.ts";
import type { CgroupFeatures } from "../../../platform/cgroups/cgroup-features.ts";
import type { LinuxResources } from "../../../platform/cgroups/linux-resources.ts";

/**
 * The limits of a container of a pod. Without a limit of its swap, a container with a limit of its memory does not
 * swap; limits that the node does not know are left out.
 */
export function linuxResourcesOf(
  resources: ContainerResources,
  features: CgroupFeatures,
): LinuxResources {
  const linux = linuxResources(resources);
  const memory = nonZero(linux.memoryLimitBytes);
  return {
    cpuShares: nonZero(linux.cpuShares),
    cpuQuota: nonZero(linux.cpuQuota),
    cpuPeriod: nonZero(linux.cpuPeriod),
    cpusetCpus: linux.cpusetCpus || undefined,
    cpusetMems: linux.cpusetMems || undefined,
    memoryLimitBytes: memory,
    memorySwapBytes: features.swap ? (nonZero(linux.memorySwapLimitBytes) ?? memory) : undefined,
    hugepageLimits: features.hugetlb
      ? linux.hugepageLimits?.map(({ pageSize, limit }) => ({ pageSize, limitBytes: limit }))
      : undefined,
    unified: linux.unified,
  };
}

function nonZero(value: number | undefined): number | undefined {
  return value === 0 ? undefined : value;
}
