import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { ObjectKey } from "../../client/resource-kind.ts";
import type { Fence } from "./fence.ts";

export interface LeaderElectionOptions {
  /** Reads and writes the lease; nothing holds its writes back. */
  readonly client: Client;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward; that of `clock` if not given. */
  readonly ticks?: (() => number) | undefined;
  readonly random: Random;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  /** The lease that candidates compete for. */
  readonly lease: Required<ObjectKey>;
  /** Who this candidate is; nobody else may say the same of himself. */
  readonly identity: string;
  /** How long others leave the lease alone after they saw it renewed; 15 s if not given. */
  readonly leaseDurationMs?: number | undefined;
  /** How long the leader goes on after it last renewed the lease; 10 s if not given. */
  readonly renewDeadlineMs?: number | undefined;
  /** How long is waited from one try to the next; 2 s if not given. */
  readonly retryPeriodMs?: number | undefined;
  /** Whether the lease is given back at the end, so that others need not wait. */
  readonly releaseOnStop?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Is told who leads, each time it is somebody else. */
  readonly onNewLeader?: ((identity: string) => void) | undefined;
}

/** One candidate for the leadership. */
export interface LeaderElection extends Fence {
  /** Whether this candidate may act as the leader right now. */
  readonly isLeader: boolean;
  /** Who leads, as far as is known; empty before anybody was seen. */
  readonly leader: string;
  /**
   * Waits for the leadership, calls `lead` once, and keeps the lease renewed. Resolves when the signal
   * aborts, and rejects with a `LeadershipLostError` when the lease could not be renewed in time.
   */
  run(options: { readonly signal: AbortSignal; lead(signal: AbortSignal): void }): Promise<void>;
  /** Throws where it should have stopped leading for so long that something must be stuck. */
  check(toleranceMs?: number): void;
}

/** Thrown when somebody else may be the leader from now on. */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";

  constructor(options?: { readonly cause?: unknown }) {
    super("leader election lost", options);
  }
}
