import type { Counter, Family, Histogram, Metrics } from "../../base/metrics.ts";
import type { Op, Store } from "../../store/store.ts";
import type { AnyKind } from "../objects/object.ts";

/** The group and the plural of a kind whose objects are stored. */
type StoredResource = Pick<AnyKind, "group" | "plural">;

export interface StoreMetricsOptions {
  readonly metrics: Metrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  /** What is stored at a key; undefined where that is no object. */
  readonly resourceAt: (key: string) => StoredResource | undefined;
}

/** The same store, whose reads and writes are counted and timed. */
export function measuredStore(store: Store, options: StoreMetricsOptions): Store {
  const { ticks, resourceAt } = options;
  const seriesOf = storeSeries(options.metrics);
  const timed = async <T>(operation: string, key: string, work: Promise<T>): Promise<T> => {
    const resource = resourceAt(key);
    if (!resource) return work;
    const series = seriesOf(operation, resource);
    const begun = ticks();
    try {
      return await work;
    } catch (error) {
      series.errors.add(1);
      throw error;
    } finally {
      series.duration.observe((ticks() - begun) / 1000);
      series.total.add(1);
    }
  };
  return {
    currentRevision: () => store.currentRevision(),
    get: (key, revision) => timed("get", key, store.get(key, revision)),
    list: (prefix, listed) => timed("list", prefix, store.list(prefix, listed)),
    commit: (ops) => {
      const [first] = ops;
      if (!first) return store.commit(ops);
      return timed(operationOf(first), first.key, store.commit(ops));
    },
    watch: (prefix, watched) => store.watch(prefix, watched),
    subscribe: (prefix, subscribed, subscriber) => store.subscribe(prefix, subscribed, subscriber),
    ...(store.isStale && { isStale: (key: string) => store.isStale?.(key) ?? notStale }),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
  };
}

const notStale = Promise.resolve(false);

const operationOf = ({ type, ifRevision }: Op): string =>
  type === "delete" ? "delete" : ifRevision === 0 ? "create" : "update";

interface StoreSeries {
  readonly duration: Histogram;
  readonly total: Counter;
  /** Created with the first failure, because upstream shows no series before. */
  readonly errors: Counter;
}

function storeSeries(metrics: Metrics) {
  const durations = metrics.histogram(duration);
  const totals = metrics.counter(total);
  const failures: Family<Counter> = metrics.counter(errors);
  const known = new Map<string, StoreSeries>();
  return (operation: string, { group, plural: resource }: StoredResource): StoreSeries => {
    const key = `${operation} ${group} ${resource}`;
    let series = known.get(key);
    if (!series) {
      series = {
        duration: durations.of(operation, group, resource),
        total: totals.of(operation, group, resource),
        errors: { add: (amount) => failures.of(operation, group, resource).add(amount) },
      };
      known.set(key, series);
    }
    return series;
  };
}

const labels = ["operation", "group", "resource"] as const;

const duration = {
  name: "etcd_request_duration_seconds",
  help: "Seconds that the store took, by operation and resource.",
  stability: "ALPHA",
  labels,
  buckets: [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
    60,
  ],
} as const;

const total = {
  name: "etcd_requests_total",
  help: "What the store was asked, by operation and resource.",
  stability: "ALPHA",
  labels,
} as const;

const errors = {
  name: "etcd_request_errors_total",
  help: "What the store was asked and failed at, by operation and resource.",
  stability: "ALPHA",
  labels,
} as const;
