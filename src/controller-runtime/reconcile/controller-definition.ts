import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { RateLimiter } from "../../base/queue/rate-limiter.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "../../client/resource-kind.ts";
import type { Cache } from "../cache/cache.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Predicate } from "./predicates.ts";

/** Makes the world what an object says it should be. It may be stopped anywhere, and starts anew. */
export interface ControllerDefinition<
  O extends KubernetesObject,
  W extends readonly KubernetesObject[],
> {
  /** What logs, metrics and traces call it; no two of a manager share one. */
  readonly name: string;
  /** The account for `ManagerOptions.transportForAccount`; its name if not given, the manager's own transport if empty. */
  readonly account?: string | undefined;
  /** Who tells what happens, in its events; it itself if not given. */
  readonly eventSource?: string | undefined;
  /** The objects that are reconciled, each by its key. */
  readonly for: ResourceKind<O>;
  /** Kinds whose objects belong to one: a change of them is a reason to reconcile their owner. */
  readonly owns?: readonly (ResourceKind<KubernetesObject> | OwnedKind)[] | undefined;
  /** Kinds whose changes are a reason to reconcile what `map` says. */
  readonly watches?: { readonly [I in keyof W]: Watch<W[I]> } | undefined;
  /** Indexes that `map` and `reconcile` read by `cache.byIndex`; who shares a name shares the function. */
  readonly indexes?: readonly KindIndex[] | undefined;
  /** Which events of `for` count: all of these must say so. */
  readonly predicates?: readonly Predicate<O>[] | undefined;
  /** How many keys are reconciled at a time; 1 if not given. Never two times the same. */
  readonly concurrency?: number | undefined;
  /** Whether only the leader runs it, where one is elected; true if not given. */
  readonly needsLeader?: boolean | undefined;
  /** After how long `ctx.signal` aborts; never if not given. */
  readonly timeoutMs?: number | undefined;
  /** How often all objects of `for` are reconciled without a reason; never if not given. */
  readonly resyncMs?: number | undefined;
  /** How long the caches may take at the start; two minutes if not given. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** Whether caches are read only when they show what the key has written; true if not given. */
  readonly readsOwnWrites?: boolean | undefined;
  /** How long keys wait that failed; 5 ms to 1000 s, and 10 a second overall, if not given. */
  readonly rateLimiter?: ((clock: Clock) => RateLimiter<string>) | undefined;
  /**
   * Looks at the object and does what is needed. What it throws is logged, and it is called again
   * after a while, unless it is a `TerminalError`.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is one of these.
  reconcile(key: ObjectKey, ctx: ReconcileContext): Promise<ReconcileResult | undefined | void>;
}

/** A kind that belongs to what is reconciled. */
export interface OwnedKind {
  readonly kind: ResourceKind<KubernetesObject>;
  /** Whether any owner counts, not the controller alone. */
  readonly anyOwner?: boolean | undefined;
  readonly predicates?: readonly Predicate[] | undefined;
}

/** A kind that matters to what is reconciled. */
export interface Watch<O> {
  readonly kind: ResourceKind<O>;
  /** The keys to reconcile for an object; at an update it is asked for the object before, too. */
  readonly map: (
    object: O,
    ctx: { readonly cache: Cache },
  ) => readonly ObjectKey[] | Promise<readonly ObjectKey[]>;
  /** The part of an object on which `map` depends: while it stays the same, `map` is not called for the object before the update. */
  readonly mapKey?: ((object: O) => unknown) | undefined;
  readonly predicates?: readonly Predicate<O>[] | undefined;
}

/** Values by which the objects of a kind are looked up. */
export interface KindIndex {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly valuesOf: (object: unknown) => readonly string[];
}

/** What a reconcile has at hand. */
export interface ReconcileContext {
  /** Its writes are traced, and caches are not read before they show them. */
  readonly client: Client;
  readonly cache: Cache;
  /** Aborts when time is up. Calls through `client` end with it. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  /** 1, and one more with each failure since the last success. */
  readonly attempt: number;
}

export interface ReconcileResult {
  /** When to call again, although nothing happens; by no later event undone. */
  readonly requeueAfterMs?: number | undefined;
}

/** Thrown by a reconcile that would fail the same way again: it is not called again until something changes. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** A controller, ready for a manager. */
export interface Controller
  extends Omit<
    ControllerDefinition<KubernetesObject, readonly KubernetesObject[]>,
    "for" | "owns" | "watches" | "predicates"
  > {
  readonly kind: ResourceKind<KubernetesObject>;
  readonly sources: readonly ControllerSource[];
}

/** Where a controller's reasons come from. */
export interface ControllerSource {
  readonly kind: ResourceKind<KubernetesObject>;
  readonly predicate: Predicate;
  readonly resyncMs?: number | undefined;
  readonly map: Watch<KubernetesObject>["map"];
  readonly mapKey?: Watch<KubernetesObject>["mapKey"];
}
