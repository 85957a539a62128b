import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { AcceptStreams } from "../../base/network.ts";
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

/** The result of `connect` of `wherry/kubeconfig` has all of these but the controllers. */
export interface ManagerOptions {
  readonly transport: Transport;
  /** The transport of controllers and runnables, by their service account; `transport` if not given. */
  readonly transportForAccount?: ((account: string) => Transport) | undefined;
  /** Where objects are that do not say it; `default` if not given. */
  readonly namespace?: string | undefined;
  /** Options of all clients, such as the field manager. */
  readonly clientOptions?: Omit<ClientOptions, "clock" | "namespace"> | undefined;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock; that of `clock` if not given. */
  readonly ticks?: (() => number) | undefined;
  readonly random: Random;
  readonly log?: Log | undefined;
  /** The registry of metrics; the manager's own if not given. */
  readonly metrics?: Metrics | undefined;
  readonly controllers?: readonly Controller[] | undefined;
  readonly runnables?: readonly Runnable[] | undefined;
  /** Which objects of which kinds caches hold; all objects of every kind that is read if not given. */
  readonly cache?: readonly CacheScope[] | undefined;
  readonly informers?: Pick<InformersOptions, "inactivityMs" | "yieldTurn"> | undefined;
  /** Elects one of several managers as the leader, which alone runs controllers; each of them does if not given. */
  readonly leaderElection?: LeaderOptions | undefined;
  /** The checks of `health()` and `ready()`: a check fails by throwing. */
  readonly healthChecks?: Readonly<Record<string, () => void>> | undefined;
  readonly readyChecks?: Readonly<Record<string, () => void>> | undefined;
  /**
   * Whether controllers whose kinds the API server does not serve wait for them, while others run, as in
   * kube-controller-manager; if not, the manager ends after their `cacheSyncTimeoutMs`.
   */
  readonly toleratesUnservedKinds?: boolean | undefined;
  /** How long running reconciles may take to end at shutdown; 30 s if not given. */
  readonly gracePeriodMs?: number | undefined;
  /** How long a reconcile waits for a cache that lags behind its writes before it fails; 30 s if not given. */
  readonly ownWritesTimeoutMs?: number | undefined;
  /** The machine's name, for events and the lease. */
  readonly host?: string | undefined;
  /** The API to which events are written: `events.k8s.io` if not given. */
  readonly eventApi?: EventApi | undefined;
  /** Where parts that serve API servers are reached without sockets: `wherry/testing` has such a place. */
  readonly accept?: AcceptStreams | undefined;
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
  /** The transport for the lease, without a rate limit; the manager's if not given. */
  readonly transport?: Transport | undefined;
}

/** Other work that runs as long as the manager. */
export interface Runnable {
  readonly name: string;
  /** The account for `ManagerOptions.transportForAccount`; its name if not given, the manager's own transport if empty. */
  readonly account?: string | undefined;
  /** `server`: from before caches start until everything else has ended; `leader` if not given. */
  readonly stage?: "server" | "always" | "leader" | undefined;
  /** Runs until the signal aborts; an error that it throws stops the manager. */
  run(signal: AbortSignal, ctx: RunnableContext): Promise<void>;
}

/** What a runnable can use. */
export interface RunnableContext {
  /** If the runnable's stage is `leader`, it writes only while the manager is the leader. */
  readonly client: Client;
  /** The informers that all parts of the manager share. */
  readonly informers: Informers;
  /** The recorder of a source of events. */
  events(source: string): EventRecorder;
  readonly clock: Clock;
  readonly ticks: () => number;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** What serves API servers accepts connections here instead of at a socket, if given. */
  readonly accept?: AcceptStreams | undefined;
}

/** Runs controllers that share caches, a client and the leadership. */
export interface Manager {
  /** Runs until the signal aborts, then shuts down in order; rejects with the error that stopped it. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Adds a controller or runnable, at any time. */
  add(one: Controller | Runnable): void;
  /** With leader election, it writes only while this manager is the leader. */
  readonly client: Client;
  readonly cache: Cache;
  readonly isLeader: boolean;
  /** Whether no key is queued and no reconcile is running. */
  readonly isIdle: boolean;
  health(): HealthReport;
  ready(): HealthReport;
  /** The metrics in Prometheus' text format; empty if another registry holds them. */
  metricsText(): string;
  /** The last reconciles with their causes, the oldest first. */
  trace(filter?: TraceFilter): readonly ReconcileTrace[];
}
