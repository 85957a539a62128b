import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** The time that pods of a priority, and of those up to the next one, have to end when the node shuts down. */
export interface ShutdownPeriod {
  readonly priority: number;
  readonly seconds: number;
}

/** The settings of a kubelet's configuration. */
export interface ShutdownSettings {
  /** The time for all pods, of which some is left for critical pods. */
  readonly graceSeconds: number;
  readonly criticalPodsSeconds: number;
  /** Used instead of these, if there are any. */
  readonly byPriority?: readonly ShutdownPeriod[] | undefined;
}

/** The periods of a configuration, the lowest priority first; none if pods are not ended before a shutdown. */
export function shutdownPeriods({
  graceSeconds,
  criticalPodsSeconds,
  byPriority = [],
}: ShutdownSettings): readonly ShutdownPeriod[] {
  if (byPriority.length > 0) return [...byPriority].sort((a, b) => a.priority - b.priority);
  const others = graceSeconds - criticalPodsSeconds;
  if (graceSeconds === 0 || others < 0 || criticalPodsSeconds < 0) return [];
  return [
    { priority: 0, seconds: Math.trunc(others) },
    { priority: systemCriticalPriority, seconds: Math.trunc(criticalPodsSeconds) },
  ];
}

const systemCriticalPriority = 2_000_000_000;

/** Pods that end together. */
export interface ShutdownGroup extends ShutdownPeriod {
  readonly pods: readonly Pod[];
}

/** The groups in which pods end, one after the other. A priority below the lowest belongs to the first group. */
export function shutdownGroups(
  periods: readonly ShutdownPeriod[],
  pods: readonly Pod[],
): readonly ShutdownGroup[] {
  const indexOf = ({ spec: { priority = 0 } }: Pod): number =>
    Math.max(
      0,
      periods.findLastIndex((period) => period.priority <= priority),
    );
  return periods
    .map((period, i) => ({ ...period, pods: pods.filter((pod) => indexOf(pod) === i) }))
    .filter((group) => group.pods.length > 0);
}
