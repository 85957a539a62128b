import type { RuntimeService } from "./runtime-service.ts";
import type { ContainerStatus } from "./runtime-types.ts";
import type {
  ContainerStats,
  InterfaceUsage,
  Metric,
  MetricDescriptor,
  PodSandboxMetrics,
  PodSandboxStats,
} from "./stats-types.ts";

/** A metric, and its values; several with further labels. */
interface Source<T> {
  readonly name: string;
  readonly help: string;
  readonly type: Metric["type"];
  /** The labels beside those that all metrics have. */
  readonly labels?: readonly string[];
  readonly values: (source: T) => readonly MetricValue[];
}

interface MetricValue {
  readonly value: number;
  readonly labels?: readonly string[];
}

interface ContainerSource {
  readonly stats: ContainerStats;
  readonly status: ContainerStatus | undefined;
}

const commonLabels = ["pod", "namespace", "container", "id", "image"];

const known = (value: number | undefined, ...labels: readonly string[]): readonly MetricValue[] =>
  value === undefined ? [] : [{ value, labels }];

/** The metrics of a container that its usage and its limits tell. */
const containerSources: readonly Source<ContainerSource>[] = [
  {
    name: "container_last_seen",
    help: "Last time a container was seen by the exporter",
    type: "gauge",
    values: ({ stats }) => known(Math.floor(stats.at / 1000)),
  },
  {
    name: "container_start_time_seconds",
    help: "Start time of the container since unix epoch in seconds",
    type: "gauge",
    values: ({ status }) => known(status && Math.floor(status.startedAt / 1000)),
  },
  {
    name: "container_cpu_usage_seconds_total",
    help: "Cumulative CPU time consumed in seconds.",
    type: "counter",
    values: ({ stats }) => known(Number(stats.cpuCoreNanoSeconds / 1_000_000_000n)),
  },
  {
    name: "container_memory_usage_bytes",
    help: "Current memory usage in bytes, including all memory regardless of when it was accessed",
    type: "gauge",
    values: ({ stats }) => known(stats.memoryUsageBytes),
  },
  {
    name: "container_memory_working_set_bytes",
    help: "Amount of memory that is actively used by the container, excluding cached memory.",
    type: "gauge",
    values: ({ stats }) => known(stats.memoryWorkingSetBytes),
  },
  {
    name: "container_memory_rss",
    help: "Size of RSS in bytes, total anonymous memory and [swap cache memory used by the container.",
    type: "gauge",
    values: ({ stats }) => known(stats.memoryRssBytes),
  },
  {
    name: "container_memory_swap",
    help: "Container swap usage in bytes.",
    type: "gauge",
    values: ({ stats }) => known(stats.swapUsedBytes),
  },
  {
    name: "container_memory_failures_total",
    help: "Cumulative count of container memory allocation failures.",
    type: "counter",
    labels: ["failure_type", "scope"],
    values: ({ stats }) => [
      ...known(stats.pageFaults, "pgfault", "container"),
      ...known(stats.majorPageFaults, "pgmajfault", "container"),
    ],
  },
  {
    name: "container_fs_usage_bytes",
    help: "Number of bytes that are consumed by the container on this filesystem.",
    type: "gauge",
    labels: ["device"],
    values: ({ stats }) => known(stats.writableLayer?.usedBytes, "/"),
  },
  {
    name: "container_spec_cpu_period",
    help: "CPU period of the container",
    type: "gauge",
    values: ({ status }) => known(status?.resources.linux?.cpuPeriod),
  },
  {
    name: "container_spec_cpu_shares",
    help: "CPU share of the container",
    type: "gauge",
    values: ({ status }) => known(status?.resources.linux?.cpuShares),
  },
  {
    name: "container_spec_memory_limit_bytes",
    help: "Memory limit for the container",
    type: "gauge",
    values: ({ status }) => known(status?.resources.memoryLimitBytes),
  },
];

/** The metrics of a pod's network. */
const podSources: readonly Source<PodSandboxStats>[] = (
  [
    ["receive_bytes", "Cumulative count of bytes received", "rxBytes"],
    ["receive_errors", "Cumulative count of errors encountered while receiving", "rxErrors"],
    ["transmit_bytes", "Cumulative count of bytes transmitted", "txBytes"],
    ["transmit_errors", "Cumulative count of errors encountered while transmitting", "txErrors"],
  ] satisfies [string, string, keyof InterfaceUsage][]
).map(([name, help, member]) => ({
  name: `container_network_${name}_total`,
  help,
  type: "counter",
  labels: ["interface"],
  values: ({ network }) =>
    network.map((usage) => ({ value: Number(usage[member]), labels: [usage.name] })),
}));

/** The metrics of pods and containers, with the names that containerd and cAdvisor have for them. */
export const metricDescriptors: readonly MetricDescriptor[] = [
  ...containerSources,
  ...podSources,
].map(({ name, help, labels = [] }) => ({ name, help, labelKeys: [...commonLabels, ...labels] }));

/** The metrics of all pods of a runtime. */
export async function listPodMetrics(
  runtime: Pick<RuntimeService, "listPodSandboxStats" | "listContainers">,
): Promise<readonly PodSandboxMetrics[]> {
  const pods = await runtime.listPodSandboxStats();
  const statuses = await runtime.listContainers({ state: "running" });
  return pods.map((pod) => podMetrics(pod, statuses));
}

/** The metrics of a pod, from its usage and the statuses of its containers. */
export function podMetrics(
  pod: PodSandboxStats,
  statuses: readonly ContainerStatus[],
): PodSandboxMetrics {
  const { name, namespace } = pod.metadata;
  return {
    sandboxId: pod.id,
    metrics: metricsOf(podSources, pod, { at: pod.at, labels: [name, namespace, "", pod.id, ""] }),
    containers: pod.containers.map((stats) => {
      const status = statuses.find(({ id }) => id === stats.id);
      const image = status?.userSpecifiedImage ?? "";
      const labels = [name, namespace, stats.metadata.name, stats.id, image];
      const metrics = metricsOf(containerSources, { stats, status }, { at: stats.at, labels });
      return { containerId: stats.id, metrics };
    }),
  };
}

const metricsOf = <T>(
  sources: readonly Source<T>[],
  source: T,
  { at, labels }: { readonly at: number; readonly labels: readonly string[] },
): readonly Metric[] =>
  sources.flatMap(({ name, type, values }) =>
    values(source).map(({ value, labels: more = [] }) => ({
      name,
      at,
      type,
      labelValues: [...labels, ...more],
      value,
    })),
  );
