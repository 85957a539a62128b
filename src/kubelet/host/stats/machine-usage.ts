import { readFile } from "node:fs/promises";
import type { CpuRates } from "../../../cri/cpu-rates.ts";
import { type CountedResources, resourceUsage } from "../../../cri/resource-usage.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import type { MachineUsage, SwapUsage } from "../../stats/stats-host.ts";
import { memoryBytes } from "../machine/machine-files.ts";

export interface CgroupUsageOptions {
  readonly cgroups: Cgroups;
  readonly rates: CpuRates;
  readonly now: () => number;
}

/** The usage of a cgroup; undefined if it does not exist. */
export async function cgroupUsage(
  path: string,
  { cgroups, rates, now }: CgroupUsageOptions,
): Promise<SwapUsage | undefined> {
  const stats = await cgroups.stats(path);
  if (!stats) return undefined;
  const at = now();
  const cpuNanoCores = rates.of(path, at, stats.cpu.usageNs);
  return {
    ...resourceUsage(stats, { at, cpuNanoCores }),
    swapUsedBytes: stats.memory.swapBytes,
  };
}

/** The usage of this machine, or of the cgroup of a node that shares the machine with others. */
export async function machineUsage(
  path: string,
  options: CgroupUsageOptions,
): Promise<MachineUsage> {
  const { cgroups, rates, now } = options;
  const [stats, meminfo, stat] = await Promise.all([
    cgroups.stats(path),
    readFile("/proc/meminfo", "utf8"),
    readFile("/proc/stat", "utf8"),
  ]);
  if (!stats) throw new Error(`cgroup ${path} does not exist`);
  const at = now();
  const cpuNanoCores = rates.of(path, at, stats.cpu.usageNs);
  const counted = stats.memory.usageBytes > 0 ? stats : withMemoryOf(meminfo, stats);
  const usage = resourceUsage(counted, { at, cpuNanoCores });
  const swapFree = memoryBytes(meminfo, "SwapFree");
  return {
    ...usage,
    memoryAvailableBytes:
      usage.memoryAvailableBytes ??
      Math.max(0, memoryBytes(meminfo, "MemTotal") - usage.memoryWorkingSetBytes),
    swapUsedBytes: memoryBytes(meminfo, "SwapTotal") - swapFree,
    swapAvailableBytes: swapFree,
    bootedAt: Number(/^btime (\d+)$/m.exec(stat)?.[1] ?? 0) * 1000,
  };
}

/** The root of cgroup version 2 does not count memory. */
function withMemoryOf(meminfo: string, stats: CountedResources): CountedResources {
  const usageBytes = memoryBytes(meminfo, "MemTotal") - memoryBytes(meminfo, "MemFree");
  const inactive = memoryBytes(meminfo, "Inactive\\(file\\)");
  return {
    ...stats,
    memory: {
      ...stats.memory,
      usageBytes,
      workingSetBytes: Math.max(0, usageBytes - inactive),
      rssBytes: memoryBytes(meminfo, "AnonPages"),
    },
  };
}
