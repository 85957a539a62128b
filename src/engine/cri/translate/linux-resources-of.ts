import type { LinuxContainerResources } from "../../../cri/linux-types.ts";
import type { ContainerResources } from "../../../cri/runtime-types.ts";
import type { LinuxResources } from "../../containers/container-settings.ts";

/** Which limits the cgroups of this node know. */
export interface CgroupFeatures {
  readonly swap: boolean;
  readonly hugetlb: boolean;
}

/**
 * The limits of a container of a pod. Without a limit of its swap, a container with a limit of its memory does not
 * swap; limits that the node does not know are left out.
 * Unused so far: CRI's containers come next.
 */
export function linuxResourcesOf(
  resources: ContainerResources,
  features: CgroupFeatures,
): LinuxResources {
  const linux = resources.linux ?? computed(resources);
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

/** The limits that a kubelet would compute from these resources. */
function computed(resources: ContainerResources): LinuxContainerResources {
  const { cpuRequestMillis, cpuLimitMillis, memoryLimitBytes } = resources;
  return {
    cpuShares: cpuShares(cpuRequestMillis ?? cpuLimitMillis ?? 0),
    cpuQuota: cpuQuota(cpuLimitMillis ?? 0),
    cpuPeriod: quotaPeriod,
    memoryLimitBytes,
  };
}

/** Shares of the processors for thousandths of one, within the bounds of the kernel. */
export function cpuShares(millis: number): number {
  return Math.min(Math.max(Math.floor((millis * 1024) / 1000), 2), 262144);
}

/** The time on processors in each period; 0 is no limit, and the kernel knows none below a millisecond. */
export function cpuQuota(millis: number): number {
  return millis === 0 ? 0 : Math.max(Math.floor((millis * quotaPeriod) / 1000), 1000);
}

/** In microseconds. */
const quotaPeriod = 100000;

function nonZero(value: number | undefined): number | undefined {
  return value === 0 ? undefined : value;
}
