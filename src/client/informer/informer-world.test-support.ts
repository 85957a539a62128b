import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Transport } from "../transport.ts";

/** A server and the clock that it runs on. */
export interface InformerWorld {
  readonly clock: Clock;
  /** Advances the clock. */
  advance(ms: number): Promise<void>;
  /** Connects to the current server, as informers do. */
  readonly transport: Transport;
  /** Connects to the current server in process. */
  readonly direct: Transport;
  /** Breaks a part of all responses on the network, too. */
  misbehave?(random: Random, faultRate: number): void;
  /** Starts another server on the same store; `forgets` compacts old versions. */
  restart(how: { readonly forgets: boolean }): Promise<void>;
  /** Starts a server on the store as it was when `remember` was called. */
  restore(): Promise<void>;
  remember(): void;
  /** The inactivity timeout of informers. */
  readonly inactivityMs: number;
  /** All informers must have converged this many milliseconds after the last fault. */
  readonly longestMs: number;
  close(): Promise<void>;
}
