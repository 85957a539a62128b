import type { Metrics } from "../../base/metrics.ts";
import type { ResourceKind } from "../resource-kind.ts";
import type { SourceCounts } from "./informer-source.ts";

/** Counts what informers of a kind do. */
export interface InformerMeter extends SourceCounts {
  /** So many more calls of handlers are to be made. */
  queued(change: number): void;
  /** A handler was called. */
  told(ms: number): void;
  reached(version: string): void;
  healed(changes: number): void;
}

/** What counts for the informers of a kind; those with `informer_` and a stability are client-go's. */
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
  const lists = counter("informer_lists_total", "How often all objects were listed.");
  const items = counter("informer_listed_items_total", "How many objects came in lists.");
  const watches = counter("informer_watches_total", "How many watches have ended.");
  const events = counter("informer_watched_events_total", "How many events came in watches.");
  const short = counter("informer_short_watches_total", "How many watches ended at once.");
  const resumes = counter(
    "informer_resumes_total",
    "How often a watch went on after the last one.",
  );
  const stalls = counter("informer_stalls_total", "How often a server was silent for too long.");
  const healed = counter("informer_healed_changes_total", "Changes found by listing anew only.");
  return {
    queued: (change) => queuedItems.add(change),
    told: (ms) => latency.observe(ms / 1000),
    reached: (reached) => version.set(Number(reached.slice(-15))),
    healed: (changes) => healed.add(changes),
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
