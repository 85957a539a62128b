import { readFile } from "node:fs/promises";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import type { Observation } from "../../eviction/signal.ts";
import { memoryBytes } from "../machine/machine-files.ts";

/** The memory that a node has, and the cgroup that uses it. */
export interface MemoryShare {
  readonly capacityBytes: number;
  readonly cgroup: string;
}

/**
 * The memory that is available on this machine: what is neither used nor held by files that were not used
 * recently. A node that shares the machine with others has its share instead.
 */
export async function observeMemory(
  cgroups: Cgroups,
  share: MemoryShare | undefined,
): Promise<Omit<Observation, "at">> {
  if (share) {
    const { workingSetBytes } = await cgroups.usage(share.cgroup);
    const { capacityBytes: capacity } = share;
    return { capacity, available: Math.max(0, capacity - workingSetBytes) };
  }
  const meminfo = await readFile("/proc/meminfo", "utf8");
  const capacity = memoryBytes(meminfo, "MemTotal");
  const { workingSetBytes, memoryBytes: used } = await cgroups.usage("/");
  // The root of version 2 counts no usage.
  const workingSet =
    used > 0
      ? workingSetBytes
      : capacity - memoryBytes(meminfo, "MemFree") - memoryBytes(meminfo, "Inactive\\(file\\)");
  return { capacity, available: Math.max(0, capacity - workingSet) };
}

/** The memory that is left for all pods; undefined if their cgroup has no limit. */
export async function observePodsMemory(
  cgroups: Cgroups,
  podsCgroup: string,
): Promise<Omit<Observation, "at"> | undefined> {
  const { memory } = (await cgroups.stats(podsCgroup)) ?? {};
  if (memory?.limitBytes === undefined) return undefined;
  const { limitBytes: capacity, workingSetBytes } = memory;
  return { capacity, available: Math.max(0, capacity - workingSetBytes) };
}
