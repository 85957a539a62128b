import type { Metrics } from "../../base/metrics.ts";
import type { ResourceKind } from "../resource-kind.ts";
import type { ReflectorMetrics } from "./reflector.ts";

/** Counts the activity of a kind's informers. */
export interface InformerMeter extends ReflectorMetrics {
  /** Changes the number of pending handler calls. */
  queued(change: number): void;
  /** Records the duration of a handler call. */
  delivered(ms: number): void;
  reached(version: string): void;
  changesFoundByRelist(changes: number): void;
}

/** Creates the metrics of a kind's informers. Those with a stability level have client-go's names. */
export function informerMeter(metrics: Metrics, name: string, kind: ResourceKind): InformerMeter {
  const of = [name, kind.group, kind.version, kind.plural] as const;
  const counter = (counted: string, help: string) =>
    metrics.counter({ name: counted, help, labels }).of(...of);
  const queuedItems = metrics
    .gauge({
      name: "informer_queued_items",
      help: "Number of items currently queued in the FIFO.",
      stability: "ALPHA",
      labels,
    })
    .of(...of);
  const latency = metrics
    .histogram({
      name: "informer_processing_latency_seconds",
      help: "Time taken to process events after popping from the queue.",
      stability: "ALPHA",
      labels,
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    })
    .of(...of);
  const version = metrics
    .gauge({
      name: "informer_store_resource_version",
      help: "The 15 least significant digits of the resource version of the store.",
      stability: "ALPHA",
      labels,
    })
    .of(...of);
  const lists = counter("informer_lists_total", "Number of lists, relists included.");
  const items = counter("informer_listed_items_total", "Number of objects received in lists.");
  const watches = counter("informer_watches_total", "Number of watches that have ended.");
  const events = counter("informer_watched_events_total", "Number of events received in watches.");
  const short = counter(
    "informer_short_watches_total",
    "Number of watches that ended at once without events.",
  );
  const resumes = counter(
    "informer_resumes_total",
    "Number of watches that resumed from the last resourceVersion.",
  );
  const stalls = counter(
    "informer_stalls_total",
    "Number of connections aborted because nothing arrived.",
  );
  const changesFoundByRelist = counter(
    "informer_healed_changes_total",
    "Number of changes that a relist found and no watch had sent.",
  );
  return {
    queued: (change) => queuedItems.add(change),
    delivered: (ms) => latency.observe(ms / 1000),
    reached: (reached) => version.set(Number(reached.slice(-15))),
    changesFoundByRelist: (changes) => changesFoundByRelist.add(changes),
    listed(count) {
      lists.add(1);
      items.add(count);
    },
    watched(count) {
      watches.add(1);
      events.add(count);
    },
    resumed: () => resumes.add(1),
    stalled: () => stalls.add(1),
    shortWatch: () => short.add(1),
  };
}

const labels = ["name", "group", "version", "resource"];
