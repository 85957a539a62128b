import type { CgroupStats, IoStats, Pressure } from "../../platform/cgroups/cgroup-stats.ts";
import type { LinuxResources } from "../../platform/cgroups/linux-resources.ts";
import { type MetricRow, type MetricValue, plainRow } from "./metric-row.ts";

/** What is read of a container that runs. */
export interface ContainerReading {
  /** Times are in milliseconds since the epoch. */
  readonly at: number;
  readonly startedAt: number;
  readonly stats: CgroupStats;
  readonly resources: LinuxResources;
  readonly disk: DiskReading;
  readonly processes: ProcessReading;
}

/** What a container wrote, and the file system that holds it. */
export interface DiskReading {
  readonly usedBytes: number;
  readonly sizeBytes: number;
  readonly inodes: number;
  readonly freeInodes: number;
}

export interface ProcessReading {
  readonly count: number;
  readonly files: number;
  readonly sockets: number;
  /** The soft limit of open files of its first process; -1 for none, absent if it is not known. */
  readonly mostFiles?: number | undefined;
}

type Row = MetricRow<ContainerReading>;
type Value = (read: ContainerReading) => number | undefined;

const counter = (name: string, help: string, value: Value): Row =>
  plainRow("counter", [name, help], value);
const gauge = (name: string, help: string, value: Value): Row =>
  plainRow("gauge", [name, help], value);

const seconds = (ns: bigint): number => Number(ns) / 1e9;

const cpuRows: readonly Row[] = [
  counter("container_cpu_usage_seconds_total", "CPU time of all processes, in seconds.", (read) =>
    seconds(read.stats.cpu.usageNs),
  ),
  counter("container_cpu_user_seconds_total", "CPU time outside the kernel, in seconds.", (read) =>
    seconds(read.stats.cpu.userNs),
  ),
  counter("container_cpu_system_seconds_total", "CPU time in the kernel, in seconds.", (read) =>
    seconds(read.stats.cpu.systemNs),
  ),
  counter(
    "container_cpu_cfs_periods_total",
    "Periods in which the limit of CPU time applied.",
    ({ stats }) => stats.cpu.periods,
  ),
  counter(
    "container_cpu_cfs_throttled_periods_total",
    "Periods in which the limit of CPU time was reached.",
    ({ stats }) => stats.cpu.throttledPeriods,
  ),
  counter(
    "container_cpu_cfs_throttled_seconds_total",
    "How long processes were held back by the limit of CPU time, in seconds.",
    ({ stats }) => seconds(stats.cpu.throttledNs),
  ),
];

/** A number of `memory.stat` under its name in version 1, where it includes the cgroups below, or in 2. */
const memoryStat =
  (v1: string, v2: string): Value =>
  ({ stats: { memory } }) =>
    memory.details[v1] ?? memory.details[v2] ?? 0;

const memoryRows: readonly Row[] = [
  gauge("container_memory_usage_bytes", "Memory in use, page cache included.", ({ stats }) => {
    return stats.memory.usageBytes;
  }),
  gauge(
    "container_memory_working_set_bytes",
    "Memory in use without files that the kernel can drop at once.",
    ({ stats }) => stats.memory.workingSetBytes,
  ),
  gauge("container_memory_max_usage_bytes", "The most memory that was in use.", ({ stats }) => {
    return stats.memory.maxUsageBytes;
  }),
  gauge("container_memory_rss", "Anonymous memory, in bytes.", ({ stats }) => {
    return stats.memory.rssBytes;
  }),
  gauge("container_memory_cache", "Page cache, in bytes.", memoryStat("total_cache", "file")),
  gauge(
    "container_memory_mapped_file",
    "Memory of files that are mapped, in bytes.",
    memoryStat("total_mapped_file", "file_mapped"),
  ),
  gauge(
    "container_memory_total_active_file_bytes",
    "Page cache that was used lately.",
    memoryStat("total_active_file", "active_file"),
  ),
  gauge(
    "container_memory_total_inactive_file_bytes",
    "Page cache that was not used lately.",
    memoryStat("total_inactive_file", "inactive_file"),
  ),
  gauge(
    "container_memory_kernel_usage",
    "Memory of the kernel's stacks, in bytes; only cgroups of version 2 count it.",
    ({ stats }) => stats.memory.details.kernel_stack,
  ),
  gauge("container_memory_swap", "Swap in use, in bytes.", ({ stats }) => stats.memory.swapBytes),
  counter("container_memory_failcnt", "How often memory reached its limit.", ({ stats }) => {
    return stats.memory.limitHits;
  }),
  {
    name: "container_memory_failures_total",
    help: "Page faults, and those that had to read from a disk, with and without the cgroups below.",
    type: "counter",
    keys: ["failure_type", "scope"],
    values: ({ stats: { memory } }) => [
      { value: memory.details.pgfault ?? 0, labels: ["pgfault", "container"] },
      { value: memory.details.pgmajfault ?? 0, labels: ["pgmajfault", "container"] },
      { value: memory.pageFaults, labels: ["pgfault", "hierarchy"] },
      { value: memory.majorPageFaults, labels: ["pgmajfault", "hierarchy"] },
    ],
  },
  counter(
    "container_oom_events_total",
    "Processes that the kernel killed for lack of memory.",
    ({ stats }) => stats.memory.oomKills,
  ),
];

const device = ({ major, minor }: IoStats): string => `${major}:${minor}`;

/** A row with a value for each device. */
const ioRow = (name: string, help: string, value: (io: IoStats) => number): Row => ({
  ...{ name, help, type: "counter", keys: ["device"] },
  values: ({ stats }) => stats.io.map((io) => ({ value: value(io), labels: [device(io)] })),
});

/** A row about the file system of the root folder. */
const diskRow = (name: string, help: string, value: (disk: DiskReading) => number): Row => ({
  ...{ name, help, type: "gauge", keys: ["device"] },
  values: ({ disk }) => [{ value: value(disk), labels: ["/"] }],
});

const diskRows: readonly Row[] = [
  diskRow(
    "container_fs_usage_bytes",
    "What the container wrote to its root file system.",
    (disk) => {
      return disk.usedBytes;
    },
  ),
  diskRow("container_fs_limit_bytes", "The size of the file system.", (disk) => disk.sizeBytes),
  diskRow("container_fs_inodes_total", "The inodes of the file system.", (disk) => disk.inodes),
  diskRow("container_fs_inodes_free", "The free inodes of the file system.", (disk) => {
    return disk.freeInodes;
  }),
  ioRow("container_fs_reads_bytes_total", "Bytes read from a device.", (io) => io.readBytes),
  ioRow("container_fs_reads_total", "Reads from a device.", (io) => io.reads),
  ioRow("container_fs_writes_bytes_total", "Bytes written to a device.", (io) => io.writeBytes),
  ioRow("container_fs_writes_total", "Writes to a device.", (io) => io.writes),
  {
    name: "container_blkio_device_usage_total",
    help: "Bytes that were read from and written to a device.",
    type: "counter",
    keys: ["device", "major", "minor", "operation"],
    values: ({ stats }) => stats.io.flatMap(deviceUsage),
  },
];

function deviceUsage(io: IoStats): readonly MetricValue[] {
  const labels = [device(io), String(io.major), String(io.minor)];
  return [
    { value: io.readBytes, labels: [...labels, "Read"] },
    { value: io.writeBytes, labels: [...labels, "Write"] },
  ];
}

const processRows: readonly Row[] = [
  gauge("container_processes", "Processes that run.", ({ processes }) => processes.count),
  gauge("container_threads", "Threads that run.", ({ stats }) => stats.pids.current),
  gauge("container_threads_max", "How many threads may run; 0 for any number.", ({ stats }) => {
    return stats.pids.limit ?? 0;
  }),
  gauge("container_file_descriptors", "Open files, sockets included.", ({ processes }) => {
    return processes.files;
  }),
  gauge("container_sockets", "Open sockets.", ({ processes }) => processes.sockets),
  {
    name: "container_ulimits_soft",
    help: "Soft limits of the first process; -1 for none.",
    type: "gauge",
    keys: ["ulimit"],
    values: ({ processes: { mostFiles } }) =>
      mostFiles === undefined ? [] : [{ value: mostFiles, labels: ["max_open_files"] }],
  },
];

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** A limit of memory: 0 if there is none, which CRI and OCI write as a negative number. */
const memoryLimit = (bytes = 0): number => Math.max(0, bytes);

const settingRows: readonly Row[] = [
  gauge("container_last_seen", "When these values were read, in seconds since 1970.", ({ at }) => {
    return wholeSeconds(at);
  }),
  gauge("container_start_time_seconds", "When it was started, in seconds since 1970.", (read) => {
    return wholeSeconds(read.startedAt);
  }),
  gauge(
    "container_spec_cpu_period",
    "The period of its limit of CPU time, in microseconds.",
    (read) => {
      return read.resources.cpuPeriod;
    },
  ),
  gauge(
    "container_spec_cpu_quota",
    "Its limit of CPU time in each period, in microseconds.",
    ({ resources: { cpuQuota = 0 } }) => (cpuQuota > 0 ? cpuQuota : undefined),
  ),
  gauge("container_spec_cpu_shares", "Its share of CPU time.", (read) => read.resources.cpuShares),
  gauge("container_spec_memory_limit_bytes", "Its limit of memory; 0 for none.", (read) => {
    return memoryLimit(read.resources.memoryLimitBytes);
  }),
  gauge(
    "container_spec_memory_reservation_limit_bytes",
    "The memory that is reserved for it; 0 for none.",
    ({ resources }) => memoryLimit(resources.memoryReservationBytes),
  ),
  gauge(
    "container_spec_memory_swap_limit_bytes",
    "Its limit of memory and swap together; 0 for none.",
    ({ resources }) => memoryLimit(resources.memorySwapBytes),
  ),
];

type Waits = "cpu" | "memory" | "io";

/** How long processes waited for a resource: some of them, or all. */
const pressureRow = (name: string, of: Waits, which: keyof Pressure): Row =>
  counter(
    `container_pressure_${name}_seconds_total`,
    `How long ${which === "full" ? "all" : "some"} processes waited for ${of}, in seconds.`,
    ({ stats }) => {
      const times = (of === "io" ? stats.ioPressure : stats[of].pressure)?.[which];
      return times && seconds(times.totalNs);
    },
  );

const pressureRows: readonly Row[] = [
  pressureRow("cpu_stalled", "cpu", "full"),
  pressureRow("cpu_waiting", "cpu", "some"),
  pressureRow("memory_stalled", "memory", "full"),
  pressureRow("memory_waiting", "memory", "some"),
  pressureRow("io_stalled", "io", "full"),
  pressureRow("io_waiting", "io", "some"),
];

/** The metrics of a container: the names and the labels are those of containerd, CRI-O and cAdvisor. */
export const containerMetricRows: readonly Row[] = [
  ...settingRows,
  ...cpuRows,
  ...memoryRows,
  ...diskRows,
  ...processRows,
  ...pressureRows,
];
