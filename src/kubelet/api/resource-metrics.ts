import type { ContainerStats } from "../../cri/stats-types.ts";
import type { Kubelet } from "../kubelet.ts";
import { podStats } from "./pod-stats.ts";

/** The usage of a node and its pods in Prometheus' text format, for `/metrics/resource`. */
export async function resourceMetrics(kubelet: Kubelet, now: number): Promise<string> {
  const pods = await podStats(kubelet);
  const all = pods.flatMap(({ pod, containers }) =>
    containers.map((stats) => ({ stats, pod: pod.metadata })),
  );
  const families = metrics.map(({ name, help, type, read, of }) => {
    const sample = (labels: Readonly<Record<string, string>>, list: readonly ContainerStats[]) =>
      `${name}${labelText(labels)} ${list.reduce((sum, one) => sum + read(one), 0)} ${now}`;
    const samples =
      of === "container"
        ? all.map(({ stats, pod: { name: podName = "", namespace = "" } }) =>
            sample({ container: stats.metadata.name, namespace, pod: podName }, [stats]),
          )
        : of === "pod"
          ? pods.map(({ pod: { metadata }, containers }) =>
              sample({ namespace: metadata.namespace ?? "", pod: metadata.name ?? "" }, containers),
            )
          : [
              sample(
                {},
                all.map(({ stats }) => stats),
              ),
            ];
    return [`# HELP ${name} [STABLE] ${help}`, `# TYPE ${name} ${type}`, ...samples].join("\n");
  });
  const error = [
    "# HELP resource_scrape_error [STABLE] 1 if there was an error while getting container metrics, 0 otherwise",
    "# TYPE resource_scrape_error gauge",
    "resource_scrape_error 0",
  ];
  return `${[...families, ...error].join("\n")}\n`;
}

const cpu = ({ cpuCoreNanoSeconds }: ContainerStats): number => Number(cpuCoreNanoSeconds) / 1e9;
const memory = ({ memoryWorkingSetBytes }: ContainerStats): number => memoryWorkingSetBytes;

const metrics = (["container", "node", "pod"] as const).flatMap((of) => [
  {
    of,
    name: `${of}_cpu_usage_seconds_total`,
    help: `Cumulative cpu time consumed by the ${of} in core-seconds`,
    type: "counter",
    read: cpu,
  },
  {
    of,
    name: `${of}_memory_working_set_bytes`,
    help: `Current working set of the ${of} in bytes`,
    type: "gauge",
    read: memory,
  },
]);

const labelText = (labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};
