import type { ReadFamily, Sample } from "../../base/metrics-text.ts";
import { podUsage, sumOf } from "./node-usage.ts";
import type { PodStats } from "./read-pod-stats.ts";
import type { SwapUsage } from "./stats-host.ts";

/** The usage of a node and its pods, for `/metrics/resource`. */
export function resourceMetrics(
  pods: readonly PodStats[],
  { machine, now }: { readonly machine: SwapUsage | undefined; readonly now: number },
): readonly ReadFamily[] {
  const containers = pods.flatMap((pod) =>
    pod.containers.map(({ stats, createdAt }) => ({
      usage: stats as SwapUsage,
      createdAt,
      labels: { container: stats.metadata.name, ...podLabels(pod) },
    })),
  );
  const node =
    machine ??
    sumOf(
      containers.map(({ usage }) => usage),
      now,
    );
  const measured = {
    container: containers,
    node: [{ usage: node, labels: {} }],
    pod: pods.map((pod) => ({ usage: podUsage(pod), labels: podLabels(pod) })),
  };
  const families = rows.map(
    ({ of, value, ...definition }): ReadFamily => ({
      ...definition,
      samples: measured[of].flatMap(({ usage, labels }): Sample[] => {
        const found = value(usage);
        return found === undefined ? [] : [{ labels, value: found, at: usage.at }];
      }),
    }),
  );
  const starts = containers.map(({ labels, createdAt }) => ({ labels, value: createdAt / 1000 }));
  return [...families, { ...startTime, samples: starts.filter(({ value }) => value > 0) }];
}

/** Whether the metrics could be read. */
export const scrapeError = (hasFailed: boolean): ReadFamily => ({
  name: "resource_scrape_error",
  help: "1 if there was an error while getting container metrics, 0 otherwise",
  type: "gauge",
  stability: "STABLE",
  samples: [{ labels: {}, value: hasFailed ? 1 : 0 }],
});

const podLabels = ({ usage: { metadata } }: PodStats): Record<string, string> => ({
  namespace: metadata.namespace,
  pod: metadata.name,
});

interface Row extends Omit<ReadFamily, "samples"> {
  readonly of: "container" | "node" | "pod";
  readonly value: (usage: SwapUsage) => number | undefined;
}

const cpuRow = (of: Row["of"]): Row => ({
  of,
  name: `${of}_cpu_usage_seconds_total`,
  help: `Cumulative cpu time consumed by the ${of} in core-seconds`,
  type: "counter",
  stability: "STABLE",
  value: ({ cpuCoreNanoSeconds }) => Number(cpuCoreNanoSeconds) / 1e9,
});

const memoryRow = (of: Row["of"]): Row => ({
  of,
  name: `${of}_memory_working_set_bytes`,
  help: `Current working set of the ${of} in bytes`,
  type: "gauge",
  stability: "STABLE",
  value: ({ memoryWorkingSetBytes }) => memoryWorkingSetBytes,
});

const swapRow = (of: Row["of"], help: string): Row => ({
  of,
  name: `${of}_swap_usage_bytes`,
  help: `${help} in bytes. Reported only on non-windows systems`,
  type: "gauge",
  stability: "ALPHA",
  value: ({ swapUsedBytes }) => swapUsedBytes,
});

const rows: readonly Row[] = [
  cpuRow("container"),
  memoryRow("container"),
  {
    of: "container",
    name: "container_swap_limit_bytes",
    help: "Current amount of the container swap limit in bytes. Reported only on non-windows systems",
    type: "gauge",
    stability: "ALPHA",
    value: ({ swapUsedBytes = 0, swapAvailableBytes: left }) =>
      left === undefined ? undefined : left + swapUsedBytes,
  },
  swapRow("container", "Current amount of the container swap usage"),
  cpuRow("node"),
  memoryRow("node"),
  swapRow("node", "Current swap usage of the node"),
  cpuRow("pod"),
  memoryRow("pod"),
  swapRow("pod", "Current amount of the pod swap usage"),
];

const startTime = {
  name: "container_start_time_seconds",
  help: "Start time of the container since unix epoch in seconds",
  type: "gauge",
  stability: "STABLE",
} as const;
