import type { PodGroups, PodMetric, PodMetricValues } from "./group-pods.ts";

/** By which parts the measured value may differ from the target before anything is scaled. */
export interface Tolerances {
  readonly scaleDown: number;
  readonly scaleUp: number;
}

const isTolerated = ({ scaleDown, scaleUp }: Tolerances, ratio: number): boolean =>
  1 - scaleDown <= ratio && ratio <= 1 + scaleUp;

/** The ratio of what pods use to what they should. */
export interface Measure<M extends { readonly ratio: number }> {
  measure(metrics: PodMetricValues): M;
  /** What a pod without metrics is taken to use when pods are removed, in thousandths. */
  assumed(pod: string): number;
}

export interface PodsInput<M extends { readonly ratio: number }> {
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly metrics: PodMetricValues;
  readonly groups: PodGroups;
  /** Called when there are metrics that count. */
  readonly measure: () => Measure<M>;
}

/** Proposes a number of pods by a metric of each of them. */
export interface PodsProposal<M> {
  readonly replicas: number;
  readonly measured: M;
}

/**
 * Pods whose metrics are missing count against the direction of the change, so that it becomes smaller: as fully
 * used when pods are removed, as idle when pods are added, as are those that are not ready. When that turns the
 * direction, nothing changes.
 */
export function replicasByPods<M extends { readonly ratio: number }>(
  input: PodsInput<M>,
): PodsProposal<M> {
  const { currentReplicas, tolerances, groups } = input;
  const { ready, unready, missing, ignored } = groups;
  const metrics = new Map(
    [...input.metrics].filter(([name]) => !ignored.has(name) && !unready.has(name)),
  );
  if (metrics.size === 0)
    throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  const measure = input.measure();
  const measured = measure.measure(metrics);
  const { ratio } = measured;
  const unchanged = { replicas: currentReplicas, measured };
  const addsDespiteUnready = unready.size > 0 && ratio > 1;
  if (!addsDespiteUnready && missing.size === 0)
    return isTolerated(tolerances, ratio)
      ? unchanged
      : { replicas: Math.ceil(ratio * ready), measured };
  const assumed = (name: string): number => (ratio < 1 ? measure.assumed(name) : 0);
  if (ratio !== 1) for (const name of missing) metrics.set(name, assumption(assumed(name)));
  if (addsDespiteUnready) for (const name of unready) metrics.set(name, assumption(0));
  const { ratio: next } = measure.measure(metrics);
  const replicas = Math.ceil(next * metrics.size);
  const isOpposite =
    turns(ratio, next) || (next < 1 ? replicas > currentReplicas : replicas < currentReplicas);
  return isTolerated(tolerances, next) || isOpposite ? unchanged : { replicas, measured };
}

const turns = (ratio: number, next: number): boolean =>
  (ratio < 1 && next > 1) || (ratio > 1 && next < 1);

const assumption = (value: number): PodMetric => ({ value, at: 0, windowMs: 0 });

export interface Utilization {
  readonly ratio: number;
  /** Per cent of what the pods request. */
  readonly utilization: number;
  /** What a pod uses on average, in thousandths. */
  readonly average: number;
}

/** Measures per cent of what pods request. */
export const utilizationMeasure = (
  requests: ReadonlyMap<string, number>,
  target: number,
): Measure<Utilization> => ({
  measure(metrics) {
    let used = 0;
    let requested = 0;
    let count = 0;
    for (const [name, { value }] of metrics) {
      const request = requests.get(name);
      if (request === undefined) continue;
      used += value;
      requested += request;
      count++;
    }
    if (requested === 0) throw new Error("no metrics returned matched known pods");
    const utilization = Math.trunc((used * 100) / requested);
    return { ratio: utilization / target, utilization, average: Math.trunc(used / count) };
  },
  assumed: (name) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100),
});

/** Measures the average of the pods. */
export const averageMeasure = (
  target: number,
): Measure<{ readonly ratio: number; readonly average: number }> => ({
  measure(metrics) {
    let total = 0;
    for (const { value } of metrics.values()) total += value;
    const average = Math.trunc(total / metrics.size);
    return { ratio: average / target, average };
  },
  assumed: () => target,
});

/** Proposes a number of pods by a metric that all pods serve together; `readyPods` counts those that do. */
export function replicasByRatio(
  ratio: number,
  {
    currentReplicas,
    tolerances,
    readyPods,
  }: {
    readonly currentReplicas: number;
    readonly tolerances: Tolerances;
    readonly readyPods: () => number;
  },
): number {
  if (currentReplicas === 0) return Math.ceil(ratio);
  if (isTolerated(tolerances, ratio)) return currentReplicas;
  return Math.min(Math.ceil(ratio * readyPods()), mostReplicas);
}

/** Proposes a number of pods that share a value, by what each of them should have of it. */
export function replicasByShare(
  value: number,
  {
    target,
    replicas,
    tolerances,
  }: { readonly target: number; readonly replicas: number; readonly tolerances: Tolerances },
): { readonly replicas: number; readonly average: number } {
  const average = Math.ceil(value / replicas);
  if (isTolerated(tolerances, value / (target * replicas))) return { replicas, average };
  return { replicas: Math.min(Math.ceil(value / target), mostReplicas), average };
}

const mostReplicas = 2 ** 31 - 1;
