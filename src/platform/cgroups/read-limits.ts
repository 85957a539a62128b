import type { CgroupLimits } from "./cgroups.ts";
import type { ReadCgroupFile } from "./read-cgroup-stats.ts";

/** The limits of a cgroup of version 1. */
export async function readLimitsV1(read: ReadCgroupFile): Promise<CgroupLimits> {
  return {
    cpuShares: limitOf(await read("cpu.shares")),
    cpuQuota: limitOf(await read("cpu.cfs_quota_us")),
    memoryLimitBytes: limitOf(await read("memory.limit_in_bytes")),
  };
}

/** The limits of a cgroup of version 2. */
export async function readLimitsV2(read: ReadCgroupFile): Promise<CgroupLimits> {
  const weight = limitOf(await read("cpu.weight"));
  const [quota = ""] = (await read("cpu.max")).split(" ");
  return {
    cpuShares: weight === undefined ? undefined : sharesOfWeight(weight),
    cpuQuota: limitOf(quota),
    memoryLimitBytes: limitOf(await read("memory.max")),
  };
}

/** Weights are 1 to 10000, shares 2 to 262144. */
const sharesOfWeight = (weight: number): number => Math.floor(((weight - 1) * 262_142) / 9999) + 2;

/** -1, `max` and what no machine has are no limit. */
function limitOf(text: string): number | undefined {
  const limit = Number.parseInt(text, 10);
  return limit >= 0 && limit < unlimited ? limit : undefined;
}

const unlimited = 2 ** 62;
