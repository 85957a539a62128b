import type { CgroupStats, CgroupUsage, CpuStats, MemoryStats } from "./cgroup-stats.ts";
import {
  parseBigCount,
  parseBlkio,
  parseCount,
  parseFlat,
  parseIoStat,
  parseLimit,
  parsePressure,
} from "./parse-cgroup-files.ts";

/** Gives the content of a file of a cgroup, such as `memory.stat`; empty if it does not exist. */
export type ReadCgroupFile = (name: string) => Promise<string>;

/** Reads what a cgroup of version 1 counts. */
export async function readStatsV1(read: ReadCgroupFile): Promise<CgroupStats> {
  const [cpu, memory, current, limit, bytes, operations] = await Promise.all([
    cpuV1(read),
    memoryV1(read),
    read("pids.current"),
    read("pids.max"),
    read("blkio.throttle.io_service_bytes_recursive"),
    read("blkio.throttle.io_serviced_recursive"),
  ]);
  const pids = { current: parseCount(current), limit: parseLimit(limit) };
  return { cpu, memory, pids, io: parseBlkio(bytes, operations) };
}

/** Reads what a cgroup of version 2 counts. */
export async function readStatsV2(read: ReadCgroupFile): Promise<CgroupStats> {
  const [cpu, memory, current, limit, io, pressure] = await Promise.all([
    cpuV2(read),
    memoryV2(read),
    read("pids.current"),
    read("pids.max"),
    read("io.stat"),
    read("io.pressure"),
  ]);
  const pids = { current: parseCount(current), limit: parseLimit(limit) };
  return { cpu, memory, pids, io: parseIoStat(io), ioPressure: parsePressure(pressure) };
}

/** Reads the few numbers that are asked for often, from as few files. */
export async function readUsageV1(read: ReadCgroupFile): Promise<CgroupUsage> {
  const [cpu, usage, stat] = await Promise.all([
    read("cpuacct.usage"),
    read("memory.usage_in_bytes"),
    read("memory.stat"),
  ]);
  const details = parseFlat(stat);
  const memoryBytes = parseCount(usage);
  return {
    cpuNanoSeconds: parseBigCount(cpu),
    memoryBytes,
    workingSetBytes: Math.max(0, memoryBytes - (details.total_inactive_file ?? 0)),
    rssBytes: details.total_rss ?? 0,
  };
}

/** Reads the few numbers that are asked for often, from as few files. */
export async function readUsageV2(read: ReadCgroupFile): Promise<CgroupUsage> {
  const [cpu, usage, stat] = await Promise.all([
    read("cpu.stat"),
    read("memory.current"),
    read("memory.stat"),
  ]);
  const details = parseFlat(stat);
  const memoryBytes = parseCount(usage);
  return {
    cpuNanoSeconds: BigInt(parseFlat(cpu).usage_usec ?? 0) * 1000n,
    memoryBytes,
    workingSetBytes: Math.max(0, memoryBytes - (details.inactive_file ?? 0)),
    rssBytes: details.anon ?? 0,
  };
}

async function cpuV1(read: ReadCgroupFile): Promise<CpuStats> {
  const [usage, user, system, ticks, perCpu, throttling] = await Promise.all([
    read("cpuacct.usage"),
    read("cpuacct.usage_user"),
    read("cpuacct.usage_sys"),
    read("cpuacct.stat"),
    read("cpuacct.usage_percpu"),
    read("cpu.stat"),
  ]);
  const inTicks = parseFlat(ticks);
  const stat = parseFlat(throttling);
  return {
    usageNs: parseBigCount(usage),
    userNs: user === "" ? BigInt(inTicks.user ?? 0) * nsPerTick : parseBigCount(user),
    systemNs: system === "" ? BigInt(inTicks.system ?? 0) * nsPerTick : parseBigCount(system),
    periods: stat.nr_periods ?? 0,
    throttledPeriods: stat.nr_throttled ?? 0,
    throttledNs: BigInt(stat.throttled_time ?? 0),
    perCpuNs: perCpu
      .split(" ")
      .filter((text) => /^\d+$/.test(text))
      .map(BigInt),
  };
}

/** Linux counts 100 ticks in a second, whatever its own clock does. */
const nsPerTick = 10_000_000n;

async function cpuV2(read: ReadCgroupFile): Promise<CpuStats> {
  const stat = parseFlat(await read("cpu.stat"));
  const ns = (name: string): bigint => BigInt(stat[name] ?? 0) * 1000n;
  return {
    usageNs: ns("usage_usec"),
    userNs: ns("user_usec"),
    systemNs: ns("system_usec"),
    periods: stat.nr_periods ?? 0,
    throttledPeriods: stat.nr_throttled ?? 0,
    throttledNs: ns("throttled_usec"),
    perCpuNs: [],
    pressure: parsePressure(await read("cpu.pressure")),
  };
}

async function memoryV1(read: ReadCgroupFile): Promise<MemoryStats> {
  const [usage, limit, most, hits, withSwap, stat, oom] = await Promise.all([
    read("memory.usage_in_bytes"),
    read("memory.limit_in_bytes"),
    read("memory.max_usage_in_bytes"),
    read("memory.failcnt"),
    read("memory.memsw.usage_in_bytes"),
    read("memory.stat"),
    read("memory.oom_control"),
  ]);
  const details = parseFlat(stat);
  const usageBytes = parseCount(usage);
  return {
    usageBytes,
    workingSetBytes: Math.max(0, usageBytes - (details.total_inactive_file ?? 0)),
    rssBytes: details.total_rss ?? 0,
    swapBytes: Math.max(0, parseCount(withSwap) - usageBytes),
    limitBytes: parseLimit(limit),
    maxUsageBytes: parseCount(most),
    limitHits: parseCount(hits),
    pageFaults: details.total_pgfault ?? 0,
    majorPageFaults: details.total_pgmajfault ?? 0,
    oomKills: parseFlat(oom).oom_kill ?? 0,
    details,
  };
}

async function memoryV2(read: ReadCgroupFile): Promise<MemoryStats> {
  const [usage, limit, most, swap, stat, events, pressure] = await Promise.all([
    read("memory.current"),
    read("memory.max"),
    read("memory.peak"),
    read("memory.swap.current"),
    read("memory.stat"),
    read("memory.events"),
    read("memory.pressure"),
  ]);
  const details = parseFlat(stat);
  const counted = parseFlat(events);
  const usageBytes = parseCount(usage);
  return {
    usageBytes,
    workingSetBytes: Math.max(0, usageBytes - (details.inactive_file ?? 0)),
    rssBytes: details.anon ?? 0,
    swapBytes: parseCount(swap),
    limitBytes: parseLimit(limit),
    maxUsageBytes: parseCount(most),
    limitHits: counted.max ?? 0,
    pageFaults: details.pgfault ?? 0,
    majorPageFaults: details.pgmajfault ?? 0,
    oomKills: counted.oom_kill ?? 0,
    details,
    pressure: parsePressure(pressure),
  };
}
