import type { Counter } from "../../base/metrics.ts";
import type { MetricsRegistry } from "../../base/metrics-registry.ts";
import { historyLength, type ResourceCache, type WatchCache } from "../watch/watch-cache.ts";

/** The metrics of the cache; they are read from it when `/metrics` is requested. */
export function readCacheMetrics(metrics: MetricsRegistry, cache: WatchCache): void {
  const objects = metrics.gauge(resourceObjects);
  const stored = metrics.gauge(storageObjects);
  const capacity = metrics.gauge(cacheCapacity);
  const version = metrics.gauge(resourceVersion);
  const initialised = metrics.counter(initializations);
  const received = metrics.counter(eventsReceived);
  const followed = metrics.counter(storageEvents);
  const seen = new WeakMap<ResourceCache, number>();
  metrics.onRead(() => {
    // What is no longer served is no longer shown.
    for (const family of [objects, stored, capacity, version]) family.reset();
    for (const resource of cache.resources()) {
      const labels = [resource.kind.group, resource.kind.plural] as const;
      objects.of(...labels).set(resource.size);
      stored.of(groupResource(resource.kind)).set(resource.size);
      capacity.of(...labels).set(historyLength);
      version.of(...labels).set(cache.revision);
      const before = seen.get(resource);
      seen.set(resource, resource.endOfEvents);
      initialised.of(...labels).add(before === undefined ? 1 : 0);
      grow([received.of(...labels), followed.of(...labels)], resource.endOfEvents - (before ?? 0));
    }
  });
}

const groupResource = ({ group, plural }: ResourceCache["kind"]): string =>
  group === "" ? plural : `${plural}.${group}`;

function grow(counters: readonly Counter[], amount: number): void {
  for (const counter of counters) counter.add(amount);
}

const labels = ["group", "resource"] as const;

const resourceObjects = {
  name: "apiserver_resource_objects",
  help: "Objects in the store, by resource.",
  stability: "ALPHA",
  labels,
} as const;

const storageObjects = {
  name: "apiserver_storage_objects",
  help: "The same, by resource and group in one label.",
  stability: "STABLE",
  deprecated: "1.34.0",
  labels: ["resource"],
} as const;

const cacheCapacity = {
  name: "watch_cache_capacity",
  help: "How many changes of a resource are kept for watches that start in the past.",
  stability: "ALPHA",
  labels,
} as const;

const resourceVersion = {
  name: "apiserver_watch_cache_resource_version",
  help: "The version that the watch cache has reached, by resource.",
  stability: "ALPHA",
  labels,
} as const;

const initializations = {
  name: "apiserver_watch_cache_initializations_total",
  help: "How often the watch cache of a resource was filled.",
  stability: "ALPHA",
  labels,
} as const;

const eventsReceived = {
  name: "apiserver_watch_cache_events_received_total",
  help: "Changes that the watch cache took in, by resource.",
  stability: "ALPHA",
  labels,
} as const;

const storageEvents = {
  name: "apiserver_storage_events_received_total",
  help: "Changes that came from the store, by resource.",
  stability: "BETA",
  labels,
} as const;
