import type { Metrics } from "../metrics.ts";
import type { QueueObserver } from "./work-queue.ts";

export interface QueueMetricsOptions {
  readonly metrics: Metrics;
  /** Milliseconds of a monotonic clock. */
  readonly ticks: () => number;
}

/**
 * Kubernetes' metrics of a named queue. It observes the queue instead of wrapping it, because only the
 * queue knows when an item is handed out: from that moment on the same item can be added again, before
 * the caller of `get` has received it.
 */
export function queueMetrics<T>(
  name: string,
  { metrics, ticks }: QueueMetricsOptions,
): QueueObserver<T> {
  /** When each waiting item was added, including items that are being processed. */
  const waiting = new Map<T, number>();
  /** When the processing of each item began. */
  const working = new Map<T, number>();
  const added = metrics.counter(adds).of(name);
  const retried = metrics.counter(retries).of(name);
  const waited = metrics.histogram(queueDuration).of(name);
  const worked = metrics.histogram(workDuration).of(name);
  const length = metrics.gauge(depth).of(name);
  const unfinished = metrics.gauge(unfinishedWork).of(name);
  const longest = metrics.gauge(longestRunning).of(name);
  metrics.onRead(() => {
    const now = ticks();
    const ages = Array.from(working.values(), (since) => (now - since) / 1000);
    length.set(waiting.size);
    unfinished.set(ages.reduce((sum, age) => sum + age, 0));
    longest.set(Math.max(0, ...ages));
  });
  const ended = (since: Map<T, number>, item: T): number => {
    const begun = since.get(item);
    since.delete(item);
    return begun === undefined ? 0 : (ticks() - begun) / 1000;
  };
  return {
    added(item) {
      added.add(1);
      waiting.set(item, ticks());
    },
    taken(item) {
      waited.observe(ended(waiting, item));
      working.set(item, ticks());
    },
    done: (item) => worked.observe(ended(working, item)),
    retried: () => retried.add(1),
  };
}

const labels = ["name"] as const;
const stability = "BETA";
/** From ten nanoseconds to ten seconds by factors of ten, with Go's rounding. */
const buckets = timesTen(1e-8, 10);

const depth = {
  name: "workqueue_depth",
  help: "Items that wait in a queue.",
  stability,
  labels,
} as const;

const adds = {
  name: "workqueue_adds_total",
  help: "Items that a queue took in.",
  stability,
  labels,
} as const;

const retries = {
  name: "workqueue_retries_total",
  help: "Items that were put back into a queue for later.",
  stability,
  labels,
} as const;

const queueDuration = {
  name: "workqueue_queue_duration_seconds",
  help: "Seconds that items waited in a queue before they were processed.",
  stability,
  labels,
  buckets,
} as const;

const workDuration = {
  name: "workqueue_work_duration_seconds",
  help: "Seconds that the work on an item took.",
  stability,
  labels,
  buckets,
} as const;

const unfinishedWork = {
  name: "workqueue_unfinished_work_seconds",
  help: "Seconds that items have been worked on which are not done yet, all together.",
  stability,
  labels,
} as const;

const longestRunning = {
  name: "workqueue_longest_running_processor_seconds",
  help: "Seconds that the item has been worked on which takes longest.",
  stability,
  labels,
} as const;

function timesTen(first: number, count: number): number[] {
  const bounds: number[] = [];
  for (let bound = first; bounds.length < count; bound *= 10) bounds.push(bound);
  return bounds;
}
