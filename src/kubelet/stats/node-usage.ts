import type { PodStats } from "./read-pod-stats.ts";
import type { SwapUsage } from "./stats-host.ts";

/** The sum of what several use, at a time. */
export function sumOf(all: readonly SwapUsage[], at: number): SwapUsage {
  const sum = (of: (one: SwapUsage) => number | undefined): number =>
    all.reduce((total, one) => total + (of(one) ?? 0), 0);
  return {
    at,
    cpuNanoCores: sum((one) => one.cpuNanoCores),
    cpuCoreNanoSeconds: all.reduce((total, one) => total + one.cpuCoreNanoSeconds, 0n),
    memoryWorkingSetBytes: sum((one) => one.memoryWorkingSetBytes),
    memoryUsageBytes: sum((one) => one.memoryUsageBytes),
    memoryRssBytes: sum((one) => one.memoryRssBytes),
    pageFaults: sum((one) => one.pageFaults),
    majorPageFaults: sum((one) => one.majorPageFaults),
  };
}

/** What a pod uses, with the swap of its containers: cgroups of pods do not tell it. */
export function podUsage({ usage }: PodStats): SwapUsage {
  const known = usage.containers.filter(({ swapUsedBytes }) => swapUsedBytes !== undefined);
  if (known.length === 0) return usage;
  const sum = (of: "swapUsedBytes" | "swapAvailableBytes"): number =>
    known.reduce((total, one) => total + (one[of] ?? 0), 0);
  return {
    ...usage,
    swapUsedBytes: sum("swapUsedBytes"),
    ...(known.some(({ swapAvailableBytes }) => swapAvailableBytes !== undefined) && {
      swapAvailableBytes: sum("swapAvailableBytes"),
    }),
  };
}
