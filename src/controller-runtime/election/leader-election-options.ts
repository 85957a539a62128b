import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { ObjectKey } from "../../client/resource-kind.ts";
import type { Fence } from "./fence.ts";

export interface LeaderElectionOptions {
  /** Reads and writes the lease, without a fence. */
  readonly client: Client;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock; that of `clock` if not given. */
  readonly ticks?: (() => number) | undefined;
  readonly random: Random;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  /** The lease that candidates compete for. */
  readonly lease: Required<ObjectKey>;
  /** The identity of this candidate, which must be unique. */
  readonly identity: string;
  /** How long other candidates wait after they saw a renewal; 15 s if not given. */
  readonly leaseDurationMs?: number | undefined;
  /** How long the leader leads after its last renewal; 10 s if not given. */
  readonly renewDeadlineMs?: number | undefined;
  /** The time between two attempts; 2 s if not given. */
  readonly retryPeriodMs?: number | undefined;
  /** Whether the lease is released at the end, so that other candidates need not wait. */
  readonly releaseOnStop?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Called with the identity of each new leader. */
  readonly onNewLeader?: ((identity: string) => void) | undefined;
}

/** One candidate for the leadership. */
export interface LeaderElection extends Fence {
  /** Whether this candidate may act as the leader right now. */
  readonly isLeader: boolean;
  /** The identity of the leader, as last seen; empty if none was seen. */
  readonly leader: string;
  /**
   * Waits for the leadership, calls `lead` once, and keeps the lease renewed. Resolves when the signal
   * aborts, and rejects with a `LeadershipLostError` when the lease could not be renewed in time.
   */
  run(options: { readonly signal: AbortSignal; lead(signal: AbortSignal): void }): Promise<void>;
  /** Throws if the lease expired long ago and the candidate still leads: it must be stuck. */
  check(toleranceMs?: number): void;
}

/** Thrown when another candidate may lead from now on. */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";

  constructor(options?: { readonly cause?: unknown }) {
    super("leader election lost", options);
  }
}
