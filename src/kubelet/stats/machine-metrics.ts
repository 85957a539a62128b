import type { ReadFamily, Sample } from "../../base/metrics-text.ts";
import type { InterfaceUsage } from "../../cri/stats-types.ts";
import type { DiskSpace, MachineFacts, SwapUsage } from "./stats-host.ts";

/** The properties of a machine, as cAdvisor has them. */
export function machineMetrics(facts: MachineFacts): readonly ReadFamily[] {
  const { machineID: machine_id, systemUUID: system_uuid, bootID: boot_id } = facts;
  const labels = { boot_id, machine_id, system_uuid };
  const gauge = (name: string, help: string, value: number): ReadFamily => ({
    ...{ name, help, type: "gauge", samples: [{ labels, value }] },
  });
  const { kernelVersion, osImage: osVersion } = facts;
  const version = { cadvisorRevision: "", cadvisorVersion: "", dockerVersion: "" };
  return [
    {
      name: "cadvisor_version_info",
      help: "A metric with a constant '1' value labeled by kernel version, OS version, docker version, cadvisor version & cadvisor revision.",
      type: "gauge",
      samples: [{ labels: { ...version, kernelVersion, osVersion }, value: 1 }],
    },
    gauge("machine_cpu_cores", "Number of logical CPU cores.", facts.cpus),
    gauge("machine_cpu_physical_cores", "Number of physical CPU cores.", facts.physicalCores),
    gauge("machine_cpu_sockets", "Number of CPU sockets.", facts.sockets),
    gauge("machine_memory_bytes", "Amount of memory installed on the machine.", facts.memoryBytes),
    gauge("machine_swap_bytes", "Amount of swap memory available on the machine.", facts.swapBytes),
  ];
}

/** Whether metrics of the machine and of containers could be read. */
export const scrapeErrors = (
  machineFailed: boolean,
  containersFailed: boolean,
): readonly ReadFamily[] =>
  (
    [
      ["machine", machineFailed],
      ["container", containersFailed],
    ] as const
  ).map(([what, hasFailed]) => ({
    name: `${what}_scrape_error`,
    help: `1 if there was an error while getting ${what} metrics, 0 otherwise`,
    type: "gauge",
    samples: [{ labels: {}, value: hasFailed ? 1 : 0 }],
  }));

/** The usage of a cgroup that is no container's. */
export interface CgroupMetrics {
  /** Its path: `/` for the whole machine. */
  readonly id: string;
  readonly usage: SwapUsage;
  readonly startedAt: number;
  readonly network?: readonly InterfaceUsage[] | undefined;
  readonly disk?: DiskSpace | undefined;
}

/** The usage of the machine and of its groups of processes, under the names of containers' metrics. */
export function cgroupMetrics(cgroups: readonly CgroupMetrics[]): readonly ReadFamily[] {
  return rows.map(({ values, ...definition }) => ({
    ...definition,
    samples: cgroups.flatMap((cgroup) =>
      values(cgroup).map(
        ([value, labels = {}]): Sample => ({
          labels: { ...noContainer, id: cgroup.id, ...labels },
          value,
          at: cgroup.usage.at,
        }),
      ),
    ),
  }));
}

const noContainer = { container: "", image: "", name: "", namespace: "", pod: "" };

interface Row extends Omit<ReadFamily, "samples"> {
  readonly values: (cgroup: CgroupMetrics) => readonly Value[];
}
type Value = readonly [value: number, labels?: Readonly<Record<string, string>>];

const row = (
  type: Row["type"],
  name: string,
  help: string,
  values: (cgroup: CgroupMetrics) => number | undefined | readonly Value[],
): Row => ({
  type,
  name,
  help,
  values(cgroup) {
    const found = values(cgroup);
    return typeof found === "number" ? [[found]] : (found ?? []);
  },
});

const networkRow = (name: string, help: string, of: keyof Omit<InterfaceUsage, "name">): Row =>
  row("counter", `container_network_${name}_total`, `Cumulative count of ${help}`, ({ network }) =>
    network?.map((one) => [one[of], { interface: one.name }]),
  );

const diskRow = (name: string, help: string, of: (disk: DiskSpace) => number): Row =>
  row("gauge", `container_fs_${name}`, help, ({ disk }) =>
    disk ? [[of(disk), { device: disk.device }]] : [],
  );

const rows: readonly Row[] = [
  row("gauge", "container_last_seen", "Last time a container was seen by the exporter", (one) =>
    Math.floor(one.usage.at / 1000),
  ),
  row(
    "gauge",
    "container_start_time_seconds",
    "Start time of the container since unix epoch in seconds.",
    (one) => Math.floor(one.startedAt / 1000),
  ),
  row(
    "counter",
    "container_cpu_usage_seconds_total",
    "Cumulative cpu time consumed in seconds.",
    ({ usage }) => [[Number(usage.cpuCoreNanoSeconds) / 1e9, { cpu: "total" }]],
  ),
  row(
    "gauge",
    "container_memory_usage_bytes",
    "Current memory usage in bytes, including all memory regardless of when it was accessed",
    ({ usage }) => usage.memoryUsageBytes,
  ),
  row(
    "gauge",
    "container_memory_working_set_bytes",
    "Current working set in bytes.",
    ({ usage }) => usage.memoryWorkingSetBytes,
  ),
  row(
    "gauge",
    "container_memory_rss",
    "Size of RSS in bytes.",
    ({ usage }) => usage.memoryRssBytes,
  ),
  row(
    "gauge",
    "container_memory_swap",
    "Container swap usage in bytes.",
    ({ usage }) => usage.swapUsedBytes,
  ),
  networkRow("receive_bytes", "bytes received", "rxBytes"),
  networkRow("receive_errors", "errors encountered while receiving", "rxErrors"),
  networkRow("transmit_bytes", "bytes transmitted", "txBytes"),
  networkRow("transmit_errors", "errors encountered while transmitting", "txErrors"),
  diskRow("inodes_free", "Number of available Inodes", (disk) => disk.inodesFree),
  diskRow("inodes_total", "Number of Inodes", (disk) => disk.inodes),
  diskRow(
    "limit_bytes",
    "Number of bytes that can be consumed by the container on this filesystem.",
    (disk) => disk.capacityBytes,
  ),
  diskRow(
    "usage_bytes",
    "Number of bytes that are consumed by the container on this filesystem.",
    (disk) => disk.usedBytes,
  ),
];
