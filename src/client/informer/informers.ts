import { abortReason } from "../../base/abort-reason.ts";
import type { Clock } from "../../base/clock.ts";
import { type Log, noLog } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import { type SelectOptions, selectorText } from "../call-options.ts";
import type { Client } from "../client.ts";
import { formatKeyOf, type ResourceKind } from "../resource-kind.ts";
import { SharedInformer } from "./informer.ts";
import type { InformerCache } from "./informer-cache.ts";
import { createDelivery } from "./informer-delivery.ts";
import { informerMeter } from "./informer-metrics.ts";
import type { HandlerRegistration, Informer, InformerOptions } from "./informer-options.ts";
import { runReflector } from "./reflector.ts";
import { createSharing } from "./structural-sharing.ts";

/**
 * Creates informers that share one client, like a shared informer factory: equal options get the same
 * cache and watch.
 */
export interface Informers {
  /** Returns the informer of a kind, which starts at once; close it when it is no longer needed. */
  of<O>(kind: ResourceKind<O>, options?: InformerOptions<O>): Informer<O>;
  /**
   * Whether an informer caches all objects of a kind untransformed, so that others can share its cache.
   */
  follows(kind: ResourceKind): boolean;
  /** Closes all informers. */
  close(): void;
}

export interface InformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  /** The label `name` of their metrics. */
  readonly name?: string | undefined;
  /**
   * A connection on which nothing arrives for this many milliseconds is aborted. Default: 150 s, because
   * servers send bookmarks about every minute.
   */
  readonly inactivityMs?: number | undefined;
  /** Yields to other work between time slices of handler calls. Default: a timer of the clock. */
  readonly yieldTurn?: (() => Promise<void>) | undefined;
}

/** Creates a factory of shared informers. */
export function createInformers(options: InformersOptions): Informers {
  const { clock, log = noLog, metrics = noMetrics, name = "" } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const delivery = createDelivery({ clock, signal, yieldTurn: options.yieldTurn });
  const shared = new Map<string, Shared<unknown>[]>();
  const streams = new Map<string, { areSupported: boolean }>();

  const start = <O>(kind: ResourceKind<O>, how: InformerOptions<O>): Shared<O> => {
    const own = log.with({ kind: kind.kind, ...(how.namespace && { namespace: how.namespace }) });
    const informer = new SharedInformer<O>({
      clock,
      log: own,
      delivery,
      meter: informerMeter(metrics, name, kind),
    });
    const { namespace, labelSelector, fieldSelector, transform } = how;
    const stop = new AbortController();
    const source = {
      ...options,
      log: own,
      kind,
      select: { namespace, labelSelector, fieldSelector },
      transform: cacheTransform(informer.cache, transform, own),
      inactivityMs: options.inactivityMs ?? defaultInactivityMs,
      streams: entryOf(streams, kindText(kind), () => ({ areSupported: true })),
    };
    runReflector(source, informer, stop.signal).catch((error: unknown) =>
      own.error("informer failed", error),
    );
    const end = (): void => {
      stop.abort(abortReason);
      informer.close();
    };
    return { informer, transform, users: 0, end };
  };

  const sharedFor = <O>(
    kind: ResourceKind<O>,
    how: InformerOptions<O>,
  ): [Shared<O>, () => void] => {
    const siblings = entryOf(shared, scopeText(kind, how), () => []) as Shared<O>[];
    let found = siblings.find(({ transform }) => transform === how.transform);
    if (!found) {
      found = start(kind, how);
      siblings.push(found);
    }
    const one = found;
    one.users++;
    const leave = (): void => {
      one.users--;
      if (one.users > 0) return;
      siblings.splice(siblings.indexOf(one), 1);
      one.end();
    };
    return [one, leave];
  };

  return {
    of<O>(kind: ResourceKind<O>, how: InformerOptions<O> = {}) {
      signal.throwIfAborted();
      const [{ informer }, leave] = sharedFor(kind, how);
      if (how.indexers) {
        try {
          informer.cache.addIndexers(how.indexers);
        } catch (error) {
          leave();
          throw error;
        }
      }
      return informerFor(kind, informer, leave);
    },
    follows: (kind) =>
      (shared.get(scopeText(kind, {})) ?? []).some(({ transform }) => transform === undefined),
    close() {
      ending.abort(new Error("the informers are closed"));
      for (const siblings of shared.values()) for (const { end } of siblings) end();
      shared.clear();
    },
  };
}

/** An informer and the number of its users. */
interface Shared<O> {
  readonly informer: SharedInformer<O>;
  readonly transform: InformerOptions<O>["transform"];
  users: number;
  readonly end: () => void;
}

/** The view that one user has of a shared informer. */
function informerFor<O>(
  kind: ResourceKind<O>,
  shared: SharedInformer<O>,
  leave: () => void,
): Informer<O> {
  const { cache } = shared;
  const own = new Set<HandlerRegistration>();
  let isClosed = false;
  return {
    kind,
    get: (key) => cache.get(key),
    list: (how) => cache.list(how),
    byIndex: (index, value) => cache.byIndex(index, value),
    indexValues: (index) => cache.indexValues(index),
    addIndexers: (indexers) => cache.addIndexers(indexers),
    get hasSynced() {
      return shared.hasSynced;
    },
    get resourceVersion() {
      return shared.version;
    },
    get health() {
      return isClosed ? { ...shared.healthNow, state: "closed" as const } : shared.healthNow;
    },
    synced: (how) => shared.synced(how),
    tried: (how) => shared.tried(how),
    reached: (version, how) => shared.reached(version, how),
    addHandler(handler, how) {
      if (isClosed) throw new Error("the informer is closed");
      const registration = shared.addHandler(handler, how);
      own.add(registration);
      return registration;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const registration of own) registration.remove();
      leave();
    },
  };
}

const defaultInactivityMs = 150_000;

/**
 * Returns the function that prepares objects for the cache: it runs the transform and shares equal parts
 * with cached objects. If the transform fails, the object is cached unchanged, so that none is missing.
 */
function cacheTransform<O>(
  cache: InformerCache<O>,
  transform: ((object: O) => O) | undefined,
  log: Log,
): (object: O) => O {
  const share = createSharing<O>();
  return (object) => {
    let kept = object;
    try {
      if (transform) kept = transform(object);
    } catch (error) {
      log.error("transform failed", error);
    }
    const known = cache.size > 0 ? cache.getByText(formatKeyOf(object)) : undefined;
    return share(kept, known);
  };
}

const kindText = ({ group, version, plural, isMetadataOnly = false }: ResourceKind): string =>
  `${group}/${version}/${plural}/${isMetadataOnly}`;

const scopeText = (kind: ResourceKind, how: SelectOptions): string =>
  JSON.stringify([
    kindText(kind),
    how.namespace || "",
    selectorText(how.labelSelector) ?? "",
    selectorText(how.fieldSelector) ?? "",
  ]);

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
