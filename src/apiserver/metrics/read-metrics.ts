import type { Counter, Family, Metrics } from "../../base/metrics.ts";
import type { AnyKind } from "../objects/object.ts";

/** The metrics of how objects are read: from the cache or from the store, once or by watches. */
export class ReadMetrics {
  readonly #families: Readonly<Record<keyof typeof definitions, Family<Counter>>>;

  constructor(metrics: Metrics) {
    const family = (name: keyof typeof definitions) => metrics.counter(definitions[name]);
    this.#families = {
      cacheLists: family("cacheLists"),
      cacheFetched: family("cacheFetched"),
      cacheReturned: family("cacheReturned"),
      storeLists: family("storeLists"),
      storeFetched: family("storeFetched"),
      storeReturned: family("storeReturned"),
      initialEvents: family("initialEvents"),
      terminated: family("terminated"),
      unreadable: family("unreadable"),
    };
  }

  /** Counts a list from the cache: the objects that were examined, and those that were returned. */
  listedFromCache({ group, plural }: AnyKind, fetched: number, returned: number): void {
    this.#families.cacheLists.of(group, plural, "").add(1);
    this.#families.cacheFetched.of(group, plural, "").add(fetched);
    this.#families.cacheReturned.of(group, plural).add(returned);
  }

  /** Counts a page that was read from the store. */
  listedFromStore({ group, plural }: AnyKind, returned: number): void {
    this.#families.storeLists.of(group, plural).add(1);
    this.#families.storeReturned.of(group, plural).add(returned);
  }

  /** Counts objects that were read from the store for a page. */
  fetchedFromStore({ group, plural }: AnyKind, fetched: number): void {
    this.#families.storeFetched.of(group, plural).add(fetched);
  }

  /** Counts the events by which a watch begins. */
  initialEvents({ group, plural }: AnyKind, count: number): void {
    if (count > 0) this.#families.initialEvents.of(group, plural).add(count);
  }

  /** Counts a watch that was ended because its client is too slow. */
  terminated({ group, plural }: AnyKind): void {
    this.#families.terminated.of(group, plural).add(1);
  }

  /** Counts an object that could not be decoded. */
  unreadable({ group, plural }: Pick<AnyKind, "group" | "plural">): void {
    this.#families.unreadable.of(group, plural).add(1);
  }
}

const labels = ["group", "resource"] as const;
const indexed = ["group", "resource", "index"] as const;
const stability = "ALPHA";

const definitions = {
  unreadable: {
    name: "apiserver_storage_decode_errors_total",
    help: "Objects of the store that could not be decoded when they were to be read.",
    stability,
    labels,
  },
  cacheLists: {
    name: "apiserver_cache_list_total",
    help: "Lists that the watch cache answered.",
    stability,
    labels: indexed,
  },
  cacheFetched: {
    name: "apiserver_cache_list_fetched_objects_total",
    help: "Objects that were looked at in the watch cache for lists.",
    stability,
    labels: indexed,
  },
  cacheReturned: {
    name: "apiserver_cache_list_returned_objects_total",
    help: "Objects that lists from the watch cache held.",
    stability,
    labels,
  },
  storeLists: {
    name: "apiserver_storage_list_total",
    help: "Lists that the store answered.",
    stability,
    labels,
  },
  storeFetched: {
    name: "apiserver_storage_list_fetched_objects_total",
    help: "Objects that were read from the store for lists.",
    stability,
    labels,
  },
  storeReturned: {
    name: "apiserver_storage_list_returned_objects_total",
    help: "Objects that lists from the store held.",
    stability,
    labels,
  },
  initialEvents: {
    name: "apiserver_init_events_total",
    help: "Objects that watches began with, by resource.",
    stability,
    labels,
  },
  terminated: {
    name: "apiserver_terminated_watchers_total",
    help: "Watches that were ended because their client was too slow, by resource.",
    stability,
    labels,
  },
} as const;
