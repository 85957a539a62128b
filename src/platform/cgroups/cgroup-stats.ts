/** What the kernel counts of a cgroup. Times are in nanoseconds. */
export interface CgroupStats {
  readonly cpu: CpuStats;
  readonly memory: MemoryStats;
  readonly pids: PidsStats;
  readonly io: readonly IoStats[];
  /** How long processes waited for devices. */
  readonly ioPressure?: Pressure | undefined;
}

export interface CpuStats {
  readonly usageNs: bigint;
  readonly userNs: bigint;
  readonly systemNs: bigint;
  readonly periods: number;
  readonly throttledPeriods: number;
  readonly throttledNs: bigint;
  /** Of each processor; only version 1 counts it. */
  readonly perCpuNs: readonly bigint[];
  readonly pressure?: Pressure | undefined;
}

export interface MemoryStats {
  readonly usageBytes: number;
  /** The usage without files that the kernel can drop at once. */
  readonly workingSetBytes: number;
  readonly rssBytes: number;
  readonly swapBytes: number;
  /** Absent if there is none. */
  readonly limitBytes?: number | undefined;
  readonly maxUsageBytes: number;
  /** How often the limit was hit. */
  readonly limitHits: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  readonly oomKills: number;
  /** The numbers of `memory.stat`, under the kernel's names. */
  readonly details: Readonly<Record<string, number>>;
  readonly pressure?: Pressure | undefined;
}

export interface PidsStats {
  readonly current: number;
  /** Absent if there is none. */
  readonly limit?: number | undefined;
}

/** What was read from and written to a device. */
export interface IoStats {
  readonly major: number;
  readonly minor: number;
  readonly readBytes: number;
  readonly writeBytes: number;
  readonly reads: number;
  readonly writes: number;
}

/** How long processes waited for a resource; only version 2 counts it. */
export interface Pressure {
  readonly some: PressureTimes;
  /** Absent where it is not counted: of processors by older kernels. */
  readonly full?: PressureTimes | undefined;
}

/** Averages are percentages of the last seconds. */
export interface PressureTimes {
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
  readonly totalNs: bigint;
}

/** The few numbers of a cgroup that are read often. */
export interface CgroupUsage {
  readonly cpuNanoSeconds: bigint;
  readonly memoryBytes: number;
  /** The memory without what the kernel can reclaim at once. */
  readonly workingSetBytes: number;
  readonly rssBytes: number;
}
