import type { ClusterEvent } from "./cluster-event.ts";
import type { PodInfo } from "./pod-info.ts";

/** A pod in the scheduling queue, with the history of its attempts. Times are in milliseconds. */
export interface QueuedPod {
  info: PodInfo;
  /** When it was added, or last found unschedulable. */
  timestamp: number;
  attempts: number;
  /** The end of its backoff; computed on demand. */
  backoffUntil: number | undefined;
  /** The number of attempts that found it unschedulable, and of consecutive errors. */
  unschedulableCount: number;
  consecutiveErrors: number;
  /** When it first entered the active queue. */
  initialAttemptAt: number | undefined;
  wasFlushed: boolean;
  flushedAt: number;
  /** The plugins that rejected it, and those that returned `Pending`. */
  unschedulablePlugins: ReadonlySet<string>;
  pendingPlugins: ReadonlySet<string>;
  /** The plugin whose `preEnqueue` rejected it, and the events that may change that. */
  gatingPlugin: string;
  gatingEvents: readonly ClusterEvent[];
}

export const isGated = ({ gatingPlugin }: QueuedPod): boolean => gatingPlugin !== "";

/** Returns a pod without attempts. */
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
  unschedulablePlugins: noPlugins,
  pendingPlugins: noPlugins,
  gatingPlugin: "",
  gatingEvents: [],
});

/** Whether no plugin rejected it: the attempt failed with an error. */
export const hasNoRejectors = (pod: QueuedPod): boolean =>
  pod.unschedulablePlugins.size === 0 && pod.pendingPlugins.size === 0;

/** A shared empty set. */
export const noPlugins: ReadonlySet<string> = new Set();
