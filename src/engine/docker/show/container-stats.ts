import { readFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import type { CgroupStats } from "../../../platform/cgroups/cgroup-stats.ts";
import type { DockerContainer } from "../create/docker-details.ts";

/** What a container uses at a time, and the time that all processors had by then. */
export interface StatsSample {
  readonly at: number;
  readonly cgroup: CgroupStats | undefined;
  readonly systemCpuNs: number;
  readonly networks: Readonly<Record<string, NetworkCounters>>;
}

interface NetworkCounters {
  readonly rx_bytes: number;
  readonly rx_packets: number;
  readonly rx_errors: number;
  readonly rx_dropped: number;
  readonly tx_bytes: number;
  readonly tx_packets: number;
  readonly tx_errors: number;
  readonly tx_dropped: number;
}

/** A sample as clients read it, with the one before, from which they compute shares of processors. */
export function shownStats(
  { id, details }: Pick<DockerContainer, "id" | "details">,
  sample: StatsSample,
  before: StatsSample | undefined,
): object {
  const { cgroup } = sample;
  return {
    name: `/${details.name}`,
    id,
    read: new Date(sample.at).toISOString(),
    preread: before ? new Date(before.at).toISOString() : "0001-01-01T00:00:00Z",
    pids_stats: cgroup
      ? { current: cgroup.pids.current, ...(cgroup.pids.limit && { limit: cgroup.pids.limit }) }
      : {},
    blkio_stats: blockStats(cgroup),
    num_procs: 0,
    storage_stats: {},
    cpu_stats: cpuStats(sample),
    precpu_stats: before ? cpuStats(before) : emptyCpu,
    memory_stats: cgroup
      ? {
          usage: cgroup.memory.usageBytes,
          max_usage: cgroup.memory.maxUsageBytes,
          stats: cgroup.memory.details,
          failcnt: cgroup.memory.limitHits,
          limit: Math.min(cgroup.memory.limitBytes ?? Number.MAX_VALUE, totalmem()),
        }
      : {},
    ...(Object.keys(sample.networks).length > 0 && { networks: sample.networks }),
  };
}

const emptyCpu = {
  cpu_usage: { total_usage: 0, usage_in_kernelmode: 0, usage_in_usermode: 0 },
  throttling_data: { periods: 0, throttled_periods: 0, throttled_time: 0 },
};

function cpuStats({ cgroup, systemCpuNs }: StatsSample): object {
  if (!cgroup) return emptyCpu;
  const { cpu } = cgroup;
  return {
    cpu_usage: {
      total_usage: Number(cpu.usageNs),
      ...(cpu.perCpuNs.length > 0 && { percpu_usage: cpu.perCpuNs.map(Number) }),
      usage_in_kernelmode: Number(cpu.systemNs),
      usage_in_usermode: Number(cpu.userNs),
    },
    system_cpu_usage: systemCpuNs,
    online_cpus: cpus().length,
    throttling_data: {
      periods: cpu.periods,
      throttled_periods: cpu.throttledPeriods,
      throttled_time: Number(cpu.throttledNs),
    },
  };
}

function blockStats(cgroup: CgroupStats | undefined): object {
  const entries = (pick: (io: CgroupStats["io"][number]) => readonly [string, number][]) =>
    (cgroup?.io ?? []).flatMap((io) =>
      pick(io).map(([op, value]) => ({ major: io.major, minor: io.minor, op, value })),
    );
  return {
    io_service_bytes_recursive: entries(({ readBytes, writeBytes }) => [
      ["read", readBytes],
      ["write", writeBytes],
    ]),
    io_serviced_recursive: entries(({ reads, writes }) => [
      ["read", reads],
      ["write", writes],
    ]),
    io_queue_recursive: null,
    io_service_time_recursive: null,
    io_wait_time_recursive: null,
    io_merged_recursive: null,
    io_time_recursive: null,
    sectors_recursive: null,
  };
}

/** The time that all processors had since the start of the machine, in the text of `/proc/stat`. */
function systemCpuNs(text: string): number {
  const [line = ""] = text.split("\n", 1);
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  return ticks.reduce((sum, one) => sum + one, 0) * (1e9 / ticksPerSecond);
}

const ticksPerSecond = 100;

/** What passed through the interfaces of a process's network, in the text of its `net/dev`. */
function networkCounters(text: string): Readonly<Record<string, NetworkCounters>> {
  const rows = text
    .split("\n")
    .slice(2)
    .filter((line) => line.includes(":"));
  return Object.fromEntries(
    rows
      .map((line) => {
        const [name = "", values = ""] = line.split(":");
        const numbers = values.trim().split(/\s+/).map(Number);
        const at = (column: number): number => numbers[column] ?? 0;
        return [
          name.trim(),
          {
            rx_bytes: at(0),
            rx_packets: at(1),
            rx_errors: at(2),
            rx_dropped: at(3),
            tx_bytes: at(8),
            tx_packets: at(9),
            tx_errors: at(10),
            tx_dropped: at(11),
          },
        ] as const;
      })
      .filter(([name]) => name !== "lo"),
  );
}

/** Reads what processes and processors used so far from the kernel. */
export async function readHostCounters(
  pid: number,
): Promise<Pick<StatsSample, "systemCpuNs" | "networks">> {
  const [cpu, network] = await Promise.all([
    readFile("/proc/stat", "utf8"),
    readFile(`/proc/${pid}/net/dev`, "utf8").catch(() => ""),
  ]);
  return { systemCpuNs: systemCpuNs(cpu), networks: networkCounters(network) };
}
