import type { ReadFamily, Sample } from "../../base/metrics-text.ts";
import { listPodMetrics, metricDescriptors } from "../../cri/pod-metrics.ts";
import { RuntimeError, type RuntimeService } from "../../cri/runtime-service.ts";
import type { Metric, MetricDescriptor, PodSandboxMetrics } from "../../cri/stats-types.ts";

/** The metrics of pods and containers that a runtime has; those of one that has none follow from their usage. */
export async function runtimeMetrics(runtime: RuntimeService): Promise<readonly ReadFamily[]> {
  try {
    const [descriptors, pods] = await Promise.all([
      runtime.listMetricDescriptors(),
      runtime.listPodSandboxMetrics(),
    ]);
    return familiesOf(descriptors, pods);
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== "Unimplemented") throw error;
    return familiesOf(metricDescriptors, await listPodMetrics(runtime));
  }
}

/** Gathers the metrics of all pods by name. */
export function familiesOf(
  descriptors: readonly MetricDescriptor[],
  pods: readonly PodSandboxMetrics[],
): readonly ReadFamily[] {
  const byName = new Map<string, Metric[]>();
  const all = pods.flatMap(({ metrics, containers }) => [
    ...metrics,
    ...containers.flatMap((container) => container.metrics),
  ]);
  for (const metric of all) {
    const same = byName.get(metric.name) ?? [];
    same.push(metric);
    byName.set(metric.name, same);
  }
  return descriptors.flatMap(({ name, help, labelKeys }): ReadFamily[] => {
    const metrics = byName.get(name) ?? [];
    const [first] = metrics;
    if (!first) return [];
    return [{ name, help, type: first.type, samples: metrics.map(sampleOf(labelKeys)) }];
  });
}

/** cAdvisor names a container by its ID, and says that its CPU time is that of all processors. */
const sampleOf =
  (labelKeys: readonly string[]) =>
  ({ name, labelValues, value, at }: Metric): Sample => {
    const given = Object.fromEntries(labelKeys.map((key, i) => [key, labelValues[i] ?? ""]));
    const labels = {
      name: given.id ?? "",
      ...(name === "container_cpu_usage_seconds_total" && { cpu: "total" }),
      ...given,
    };
    return { labels, value, at };
  };
