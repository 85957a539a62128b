import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Client, ClientOptions } from "../../client/client.ts";
import type { Informers, InformersOptions } from "../../client/informer/informers.ts";
import type { Transport } from "../../client/transport.ts";
import type { Cache, CacheScope } from "../cache/cache.ts";
import type { LeaderElectionOptions } from "../election/leader-election-options.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Controller } from "../reconcile/controller-definition.ts";
import type { ReconcileTrace, TraceFilter } from "../reconcile/trace.ts";
import type { HealthReport } from "./health.ts";
import type { EventApi } from "./manager-part.ts";

/** What `connect` of `wherry/kubeconfig` resolves with has all that is needed but the controllers. */
export interface ManagerOptions {
  readonly transport: Transport;
  /** The transport of controllers and runnables, by their service account; `transport` if not given. */
  readonly transportForAccount?: ((account: string) => Transport) | undefined;
  /** Where objects are that do not say it; `default` if not given. */
  readonly namespace?: string | undefined;
  /** Options of all clients, such as the field manager. */
  readonly clientOptions?: Omit<ClientOptions, "clock" | "namespace"> | undefined;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward; that of `clock` if not given. */
  readonly ticks?: (() => number) | undefined;
  readonly random: Random;
  readonly log?: Log | undefined;
  /** Where metrics are kept; in the manager if not given. */
  readonly metrics?: Metrics | undefined;
  readonly controllers?: readonly Controller[] | undefined;
  readonly runnables?: readonly Runnable[] | undefined;
  /** Which objects of which kinds are kept; all of those that somebody reads if not given. */
  readonly cache?: readonly CacheScope[] | undefined;
  readonly informers?: Pick<InformersOptions, "inactivityMs" | "breathe"> | undefined;
  /** Has one of several managers do the work; each of them does if not given. */
  readonly leaderElection?: LeaderOptions | undefined;
  /** What is asked for `health()`, and for `ready()`: what throws is not well. */
  readonly healthChecks?: Readonly<Record<string, () => void>> | undefined;
  readonly readyChecks?: Readonly<Record<string, () => void>> | undefined;
  /** How long what is under way may take to end; 30 s if not given. */
  readonly gracePeriodMs?: number | undefined;
  /** How long a cache may lag behind the writes of a reconcile before it fails for now; 30 s if not given. */
  readonly ownWritesTimeoutMs?: number | undefined;
  /** The machine's name, for events and the lease. */
  readonly host?: string | undefined;
  /** The API to which events are written: `events.k8s.io` if not given. */
  readonly eventApi?: EventApi | undefined;
  /** How many reconciles the trace keeps; 1000 if not given. */
  readonly traceCapacity?: number | undefined;
}

export interface LeaderOptions
  extends Pick<
    LeaderElectionOptions,
    | "lease"
    | "leaseDurationMs"
    | "renewDeadlineMs"
    | "retryPeriodMs"
    | "releaseOnStop"
    | "labels"
    | "onNewLeader"
  > {
  /** Made of the host and a random UUID if not given. */
  readonly identity?: string | undefined;
  /** Through what the lease is read and written, which must not be held back; the manager's if not given. */
  readonly transport?: Transport | undefined;
}

/** Something else that runs as long as the manager does. */
export interface Runnable {
  readonly name: string;
  /** The account for `ManagerOptions.transportForAccount`; its name if not given, the manager's own transport if empty. */
  readonly account?: string | undefined;
  /** `server`: from before the caches to the very end; `leader` if not given. */
  readonly stage?: "server" | "always" | "leader" | undefined;
  /** Runs until the signal aborts; what it throws ends the manager. */
  run(signal: AbortSignal, ctx: RunnableContext): Promise<void>;
}

/** What a runnable has at hand. */
export interface RunnableContext {
  /** Writes through it only while the manager leads, if the runnable's stage is `leader`. */
  readonly client: Client;
  /** What the manager keeps of kinds, for all that run in it. */
  readonly informers: Informers;
  /** Where a source of events tells what happens. */
  events(source: string): EventRecorder;
  readonly clock: Clock;
  readonly ticks: () => number;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Runs controllers that share caches, a client and the leadership. */
export interface Manager {
  /** Runs until the signal aborts, then ends in order; rejects with what went wrong. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Adds to what runs, at any time. */
  add(one: Controller | Runnable): void;
  /** Writes through it only while this manager is the leader, where one is elected. */
  readonly client: Client;
  readonly cache: Cache;
  readonly isLeader: boolean;
  /** Whether no key waits and no reconcile is under way. */
  readonly isIdle: boolean;
  health(): HealthReport;
  ready(): HealthReport;
  /** What was counted, in Prometheus' text format; empty where metrics are kept elsewhere. */
  metricsText(): string;
  /** What led to what, the oldest first. */
  trace(filter?: TraceFilter): readonly ReconcileTrace[];
}
