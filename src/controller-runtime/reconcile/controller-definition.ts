import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { RateLimiter } from "../../base/queue/rate-limiter.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "../../client/resource-kind.ts";
import type { Cache } from "../cache/cache.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { ChangingValue } from "./changing-value.ts";
import type { ObjectEvent, Predicate } from "./predicates.ts";

/** A controller: it brings the cluster to the state that an object declares. It may be stopped at any point. */
export interface ControllerDefinition<
  O extends KubernetesObject,
  W extends readonly KubernetesObject[],
> {
  /** Its name in logs, metrics and traces, unique in a manager. */
  readonly name: string;
  /** The account for `ManagerOptions.transportForAccount`; its name if not given, the manager's own transport if empty. */
  readonly account?: string | undefined;
  /** The reporting controller in its events; its name if not given. */
  readonly eventSource?: string | undefined;
  /** The objects that are reconciled, each by its key. */
  readonly for: ResourceKind<O>;
  /** Kinds whose objects are owned by `for`: a change of such an object enqueues its owner. */
  readonly owns?: readonly (ResourceKind<KubernetesObject> | OwnedKind)[] | undefined;
  /** Kinds whose changes enqueue the keys that `map` returns. */
  readonly watches?: { readonly [I in keyof W]: Watch<W[I]> } | undefined;
  /** Indexes for `cache.byIndex`; indexes of the same kind and name must be the same function. */
  readonly indexes?: readonly KindIndex[] | undefined;
  /** Filters of the events of `for`: all must return true. */
  readonly predicates?: readonly Predicate<O>[] | undefined;
  /** How long after an event of `for` its key is enqueued, so that several events lead to one reconcile; at once if not given. */
  readonly delayMs?: EventDelay<O> | undefined;
  /** How many keys are reconciled at the same time; 1 if not given. A key is never reconciled twice at once. */
  readonly concurrency?: number | undefined;
  /** Whether only the leader runs it, where one is elected; true if not given. */
  readonly needsLeader?: boolean | undefined;
  /** After how long `ctx.signal` aborts; never if not given. */
  readonly timeoutMs?: number | undefined;
  /** How often all objects of `for` are reconciled without a change; never if not given. */
  readonly resyncMs?: number | undefined;
  /** A value that `reconcile` uses: each change of it enqueues all objects of `for`. */
  readonly dependsOn?: ChangingValue<unknown> | undefined;
  /** How long caches may take to sync at the start; two minutes if not given. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** Whether reads wait until caches show the writes of the key; true if not given. */
  readonly readsOwnWrites?: boolean | undefined;
  /** The backoff of keys that failed; 5 ms to 1000 s, and 10 a second overall, if not given. */
  readonly rateLimiter?: ((clock: Clock) => RateLimiter<string>) | undefined;
  /**
   * Reads the object and does what is needed. An error that it throws is logged, and the key is retried
   * after its backoff, unless the error is a `TerminalError`.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is one of these.
  reconcile(key: ObjectKey, ctx: ReconcileContext): Promise<ReconcileResult | undefined | void>;
}

/** How many milliseconds after an event its keys are enqueued; 0 is at once. `now` is the time of the clock. */
export type EventDelay<O = KubernetesObject> = (event: ObjectEvent<O>, now: number) => number;

/** A kind whose objects are owned by the reconciled ones. */
export interface OwnedKind {
  readonly kind: ResourceKind<KubernetesObject>;
  /** Whether all owners are enqueued, not only the controller. */
  readonly anyOwner?: boolean | undefined;
  readonly predicates?: readonly Predicate[] | undefined;
  /** How long after an event the owner is enqueued; at once if not given. */
  readonly delayMs?: EventDelay | undefined;
}

/** A kind whose changes matter to the reconciled objects. */
export interface Watch<O> {
  readonly kind: ResourceKind<O>;
  /** The keys to enqueue for an object; at an update it is called for the old object, too. */
  readonly map: (
    object: O,
    ctx: { readonly cache: Cache },
  ) => readonly ObjectKey[] | Promise<readonly ObjectKey[]>;
  /** The part of an object on which `map` depends: while it stays the same, `map` is not called for the object before the update. */
  readonly mapKey?: ((object: O) => unknown) | undefined;
  readonly predicates?: readonly Predicate<O>[] | undefined;
  /** How long after an event its keys are enqueued; at once if not given. */
  readonly delayMs?: EventDelay<O> | undefined;
}

/** Values by which the objects of a kind are looked up. */
export interface KindIndex {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly valuesOf: (object: unknown) => readonly string[];
}

/** What a reconcile can use. */
export interface ReconcileContext {
  /** Its writes are traced, and reads of caches wait until they show them. */
  readonly client: Client;
  readonly cache: Cache;
  /** Aborts at the timeout. Calls through `client` abort with it. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly events: EventRecorder;
  /** The registry of the manager. */
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  /** 1, and one more with each failure since the last success. */
  readonly attempt: number;
}

export interface ReconcileResult {
  /** When to reconcile again without an event; later events do not cancel it. */
  readonly requeueAfterMs?: number | undefined;
}

/** Thrown by a reconcile whose retry would fail in the same way: the key is not retried until the next event. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** A controller, ready for a manager. */
export interface Controller
  extends Omit<
    ControllerDefinition<KubernetesObject, readonly KubernetesObject[]>,
    "for" | "owns" | "watches" | "predicates" | "delayMs"
  > {
  readonly kind: ResourceKind<KubernetesObject>;
  readonly sources: readonly ControllerSource[];
}

/** A kind whose events enqueue keys. */
export interface ControllerSource {
  readonly kind: ResourceKind<KubernetesObject>;
  readonly predicate: Predicate;
  readonly resyncMs?: number | undefined;
  readonly map: Watch<KubernetesObject>["map"];
  readonly mapKey?: Watch<KubernetesObject>["mapKey"];
  readonly delayMs?: EventDelay | undefined;
}
