import type { Pressure, Pressures, ResourceUsage } from "./stats-types.ts";

/** What a kernel counts of a group of processes. */
export interface CountedResources {
  readonly cpu: { readonly usageNs: bigint; readonly pressure?: CountedPressure | undefined };
  readonly memory: {
    readonly usageBytes: number;
    readonly workingSetBytes: number;
    readonly rssBytes: number;
    readonly limitBytes?: number | undefined;
    readonly pageFaults: number;
    readonly majorPageFaults: number;
    readonly pressure?: CountedPressure | undefined;
  };
  readonly ioPressure?: CountedPressure | undefined;
}

interface CountedPressure {
  readonly some: CountedTimes;
  readonly full?: CountedTimes | undefined;
}

interface CountedTimes {
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
  readonly totalNs: bigint;
}

/** The usage that follows from counters. */
export function resourceUsage(
  { cpu, memory, ioPressure }: CountedResources,
  { at, cpuNanoCores }: { readonly at: number; readonly cpuNanoCores: number },
): ResourceUsage {
  const { limitBytes, workingSetBytes, usageBytes, rssBytes, pageFaults, majorPageFaults } = memory;
  return {
    at,
    cpuNanoCores,
    cpuCoreNanoSeconds: cpu.usageNs,
    memoryWorkingSetBytes: workingSetBytes,
    memoryUsageBytes: usageBytes,
    memoryRssBytes: rssBytes,
    ...(limitBytes !== undefined && {
      memoryAvailableBytes: Math.max(0, limitBytes - workingSetBytes),
    }),
    pageFaults,
    majorPageFaults,
    pressure: pressuresOf({ cpu: cpu.pressure, memory: memory.pressure, io: ioPressure }),
  };
}

function pressuresOf(
  counted: Readonly<Record<keyof Pressures, CountedPressure | undefined>>,
): Pressures | undefined {
  const { cpu, memory, io } = counted;
  if (!cpu && !memory && !io) return undefined;
  return { cpu: pressureOf(cpu), memory: pressureOf(memory), io: pressureOf(io) };
}

function pressureOf(counted: CountedPressure | undefined): Pressure | undefined {
  if (!counted) return undefined;
  const times = ({ totalNs, ...averages }: CountedTimes) => ({
    ...averages,
    total: Number(totalNs),
  });
  return { some: times(counted.some), full: times(counted.full ?? never) };
}

const never: CountedTimes = { avg10: 0, avg60: 0, avg300: 0, totalNs: 0n };
