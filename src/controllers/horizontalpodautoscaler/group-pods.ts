import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";

/** A metric of a pod, in thousandths. */
export interface PodMetric {
  readonly value: number;
  /** When it was measured, in milliseconds since the epoch. */
  readonly at: number;
  readonly windowMs: number;
}

/** The metrics of pods by name. */
export type PodMetricValues = ReadonlyMap<string, PodMetric>;

/** When the CPU usage of a pod that starts does not count. */
export interface StartPeriods {
  readonly cpuInitializationMs: number;
  readonly initialReadinessDelayMs: number;
}

/** Pods by how their metrics count. */
export interface PodGroups {
  /** How many pods have metrics that count. */
  readonly ready: number;
  /** Pods that have not started, or use CPU only because they do. */
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  /** Pods that have failed or are being deleted. */
  readonly ignored: ReadonlySet<string>;
}

export interface Grouping extends StartPeriods {
  /** The resource that is measured; undefined for other metrics. */
  readonly resource?: string | undefined;
  readonly now: number;
}

/** Groups pods by how their metrics count. */
export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetricValues,
  grouping: Grouping,
): PodGroups {
  const unready = new Set<string>();
  const missing = new Set<string>();
  const ignored = new Set<string>();
  let ready = 0;
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status.phase === "Failed") ignored.add(name);
    else if (pod.status.phase === "Pending") unready.add(name);
    else if (!metric) missing.add(name);
    else if (grouping.resource === "cpu" && isStarting(pod, metric, grouping)) unready.add(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

/** Whether what a pod uses of CPUs may be its start alone. */
function isStarting(
  { status }: Pod,
  metric: PodMetric,
  { now, cpuInitializationMs, initialReadinessDelayMs }: Grouping,
): boolean {
  const condition = status.conditions?.find(({ type }) => type === "Ready");
  const startedAt = timeOf(status.startTime);
  if (!condition || startedAt === undefined) return true;
  const isFalse = condition.status === "False";
  const changedAt = timeOf(condition.lastTransitionTime) ?? Number.NEGATIVE_INFINITY;
  if (startedAt + cpuInitializationMs > now)
    return isFalse || metric.at < changedAt + metric.windowMs;
  // A pod that was ready before is overloaded rather than new.
  return isFalse && startedAt + initialReadinessDelayMs > changedAt;
}
