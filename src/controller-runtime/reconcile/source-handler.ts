import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { InformerHandler } from "../../client/informer/informer-options.ts";
import {
  formatKey,
  type KubernetesObject,
  type ObjectKey,
  type ResourceKind,
} from "../../client/resource-kind.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import type { Cache } from "../cache/cache.ts";
import type { ControllerSource } from "./controller-definition.ts";
import type { ObjectEvent } from "./predicates.ts";
import type { TraceCause } from "./trace.ts";

/** Why a key is enqueued, and its priority. */
export interface EventReason {
  readonly cause: Omit<TraceCause, "at">;
  readonly priority: number;
  readonly delayMs: number;
}

export interface SourceHandlerOptions {
  /** The cache for maps. */
  readonly cache: Cache;
  readonly log: Log;
  readonly clock: Clock;
  add(key: string, reason: EventReason): void;
  /** Called with 1 when an asynchronous map starts, and with -1 when it has ended. */
  isMapping(change: 1 | -1): void;
}

/** Events of the start and of resyncs have a lower priority than changes. */
const lowPriority = -100;

/** Enqueues keys for the events of a source. */
export function sourceHandler(
  source: ControllerSource,
  { cache, log, clock, add, isMapping }: SourceHandlerOptions,
): InformerHandler<KubernetesObject> {
  const happened = (event: ObjectEvent<KubernetesObject>, priority: number): void => {
    if (source.predicate(event)) mapped(event, priority);
  };
  /** Whether `map` may have returned other keys for the old object. */
  const leadsElsewhere = (
    event: ObjectEvent<KubernetesObject>,
  ): event is ObjectEvent<KubernetesObject> & { readonly type: "updated" } => {
    const { mapKey } = source;
    if (event.type !== "updated") return false;
    return !mapKey || !sameJson(mapKey(event.object), mapKey(event.old));
  };
  const mapped = (event: ObjectEvent<KubernetesObject>, priority: number): void => {
    const failed = (error: unknown): void => {
      const cause = causeOf(source.kind, event);
      log.error("mapping an event to keys failed", error, { event: cause });
    };
    /** A key that is returned for both the object and the old one is added once. Most events have no keys. */
    const addAll = (keys: readonly (readonly ObjectKey[])[]): void => {
      if (keys.every(isEmpty)) return;
      const delayMs = source.delayMs?.(event, clock.now()) ?? 0;
      const reason = { cause: causeOf(source.kind, event), priority, delayMs };
      for (const key of new Set(keys.flat().map(formatKey))) add(key, reason);
    };
    try {
      const objects = leadsElsewhere(event) ? [event.object, event.old] : [event.object];
      const keys = objects.map((object) => source.map(object, { cache }));
      if (keys.every(isArray)) {
        addAll(keys);
        return;
      }
      isMapping(1);
      Promise.all(keys)
        .then(addAll)
        .catch(failed)
        .finally(() => isMapping(-1));
    } catch (error) {
      failed(error);
    }
  };
  return {
    added: (object, isInitial) =>
      happened({ type: "added", object, isInitial }, isInitial ? lowPriority : 0),
    updated: (object, old) =>
      happened({ type: "updated", object, old }, isSameVersion(object, old) ? lowPriority : 0),
    deleted: (object, isStale) => happened({ type: "deleted", object, isStale }, 0),
  };
}

const isEmpty = ({ length }: readonly unknown[]): boolean => length === 0;
const isArray = (value: unknown): value is readonly ObjectKey[] => Array.isArray(value);

const isSameVersion = (a: KubernetesObject, b: KubernetesObject): boolean =>
  a.metadata.resourceVersion === b.metadata.resourceVersion;

function causeOf(
  { group, plural, kind }: ResourceKind,
  event: ObjectEvent<KubernetesObject>,
): EventReason["cause"] {
  const { namespace, name = "", uid = "", resourceVersion = "" } = event.object.metadata;
  const isResync = event.type === "updated" && isSameVersion(event.object, event.old);
  return {
    type: isResync ? "resync" : event.type,
    object: { group, plural, kind, key: formatKey({ namespace, name }), uid, resourceVersion },
  };
}
