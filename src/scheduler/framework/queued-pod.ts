import type { ClusterEvent } from "./cluster-event.ts";
import type { PodInfo } from "./pod-info.ts";

/** A pod that waits to be scheduled, and what has come of it so far. Times are in milliseconds. */
export interface QueuedPod {
  info: PodInfo;
  /** When it came, or was last turned away. */
  timestamp: number;
  attempts: number;
  /** Until when it waits; worked out when it is asked for. */
  backoffUntil: number | undefined;
  /** How often in all it was turned away, and how often in a row something went wrong. */
  unschedulableCount: number;
  consecutiveErrors: number;
  /** When it was first ready to be tried. */
  initialAttemptAt: number | undefined;
  wasFlushed: boolean;
  flushedAt: number;
  /** Who turned it away, and who waits for something before it may be tried again. */
  unschedulablePlugins: ReadonlySet<string>;
  pendingPlugins: ReadonlySet<string>;
  /** Who does not let it into the queue, and the events that may change that. */
  gatingPlugin: string;
  gatingEvents: readonly ClusterEvent[];
}

export const isGated = ({ gatingPlugin }: QueuedPod): boolean => gatingPlugin !== "";

/** A pod that was never tried. */
export const queuedPod = (info: PodInfo, now: number): QueuedPod => ({
  info,
  timestamp: now,
  attempts: 0,
  backoffUntil: undefined,
  unschedulableCount: 0,
  consecutiveErrors: 0,
  initialAttemptAt: undefined,
  wasFlushed: false,
  flushedAt: 0,
  unschedulablePlugins: nobody,
  pendingPlugins: nobody,
  gatingPlugin: "",
  gatingEvents: [],
});

/** Whether nobody turned it away: what happened was a fault. */
export const hasNoRejectors = (pod: QueuedPod): boolean =>
  pod.unschedulablePlugins.size === 0 && pod.pendingPlugins.size === 0;

/** Nobody's names; the same for all. */
export const nobody: ReadonlySet<string> = new Set();
