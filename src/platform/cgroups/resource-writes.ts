import type { LinuxResources } from "./linux-resources.ts";

/** A file of a cgroup and what to write to it. */
export interface CgroupWrite {
  /** The first of these that exists. */
  readonly files: readonly string[];
  readonly value: string;
  /** Whether it is left out where the kernel has none of the files. */
  readonly isOptional?: boolean | undefined;
}

/** The writes that set limits in version 1. */
export function resourceWritesV1(resources: LinuxResources): readonly CgroupWrite[] {
  const { memoryLimitBytes: memory } = resources;
  // Without a limit of memory alone, one of both together would make no sense.
  const swap = resources.memorySwapBytes ?? (memory === -1 ? -1 : undefined);
  return [
    ...write("cpu.shares", resources.cpuShares),
    ...write("cpu.cfs_period_us", resources.cpuPeriod),
    ...write("cpu.cfs_quota_us", resources.cpuQuota),
    ...write("cpuset.cpus", resources.cpusetCpus),
    ...write("cpuset.mems", resources.cpusetMems),
    ...write("memory.limit_in_bytes", memory),
    ...optional(write("memory.memsw.limit_in_bytes", swap)),
    ...write("memory.soft_limit_in_bytes", resources.memoryReservationBytes),
    ...write("memory.oom_control", resources.oomKillDisable === true ? 1 : undefined),
    ...write("pids.max", limitText(resources.pidsLimit)),
    ...optional(write(["blkio.weight", "blkio.bfq.weight"], resources.blkioWeight)),
    ...(resources.hugepageLimits ?? []).flatMap(({ pageSize, limitBytes }) =>
      hugePages(`hugetlb.${pageSize}.limit_in_bytes`, limitBytes),
    ),
  ];
}

/** The writes that set limits in version 2. */
export function resourceWritesV2(resources: LinuxResources): readonly CgroupWrite[] {
  const { blkioWeight } = resources;
  return [
    ...write("cpu.weight", resources.cpuShares && weightOfShares(resources.cpuShares)),
    ...write("cpu.max", cpuMax(resources)),
    ...write("cpuset.cpus", resources.cpusetCpus),
    ...write("cpuset.mems", resources.cpusetMems),
    ...write("memory.max", limitText(resources.memoryLimitBytes)),
    ...optional(write("memory.swap.max", swapMax(resources))),
    ...write("memory.low", limitText(resources.memoryReservationBytes)),
    ...write("pids.max", limitText(resources.pidsLimit)),
    ...ioWeight(blkioWeight),
    ...(resources.hugepageLimits ?? []).flatMap(({ pageSize, limitBytes }) =>
      hugePages(`hugetlb.${pageSize}.max`, limitBytes),
    ),
    ...Object.entries(resources.unified ?? {}).flatMap(([file, value]) => write(file, value)),
  ];
}

/** Shares are 2 to 262144, weights 1 to 10000: runc's and crun's conversion. */
export const weightOfShares = (shares: number): number =>
  1 + Math.floor(((clamp(shares, 2, 262_144) - 2) * 9999) / 262_142);

/** Weights of block devices are 10 to 1000 in version 1. */
const ioWeightOf = (weight: number): number => 1 + Math.floor(((weight - 10) * 9999) / 990);

function ioWeight(weight: number | undefined): readonly CgroupWrite[] {
  if (!weight) return [];
  return optional([...write("io.bfq.weight", weight), ...write("io.weight", ioWeightOf(weight))]);
}

/** In version 1 swap is limited together with memory, in version 2 alone. */
function swapMax({ memoryLimitBytes, memorySwapBytes }: LinuxResources): string | undefined {
  if (memorySwapBytes === -1 || (memoryLimitBytes === -1 && !memorySwapBytes)) return "max";
  if (!memorySwapBytes) return undefined;
  if (memoryLimitBytes === undefined || memoryLimitBytes <= 0)
    throw new Error("unable to set swap limit without memory limit");
  if (memorySwapBytes < memoryLimitBytes)
    throw new Error("memory+swap limit should be >= memory limit");
  return String(memorySwapBytes - memoryLimitBytes);
}

/** Both are one file here; a period alone means no quota, as in runc. */
function cpuMax({ cpuQuota, cpuPeriod }: LinuxResources): string | undefined {
  if (!(cpuQuota || cpuPeriod)) return undefined;
  const quota = cpuQuota !== undefined && cpuQuota > 0 ? String(cpuQuota) : "max";
  return `${quota} ${cpuPeriod || defaultPeriod}`;
}

const defaultPeriod = 100_000;

const limitText = (limit: number | undefined): string | undefined => {
  if (limit === undefined || limit === 0) return undefined;
  return limit < 0 ? "max" : String(limit);
};

const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

/** Zero and empty texts are what callers send for absent ones. */
function write(
  file: string | readonly string[],
  value: string | number | undefined,
): readonly CgroupWrite[] {
  if (value === undefined || value === 0 || value === "") return [];
  return [{ files: typeof file === "string" ? [file] : file, value: String(value) }];
}

/** No huge pages at all is a limit, too. Large limits need all their digits. */
const hugePages = (file: string, limit: number): readonly CgroupWrite[] => [
  { files: [file], value: BigInt(limit).toString() },
];

/** Kernels may be built without limits of swap, and devices without weights. */
const optional = (writes: readonly CgroupWrite[]): readonly CgroupWrite[] =>
  writes.map((one) => ({ ...one, isOptional: true }));
