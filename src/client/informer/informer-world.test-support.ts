import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Transport } from "../transport.ts";

/** A server of its own, and the time it lives in. */
export interface InformerWorld {
  readonly clock: Clock;
  /** Lets time pass. */
  advance(ms: number): Promise<void>;
  /** Reaches the server that runs now, as informers do. */
  readonly transport: Transport;
  /** The same, the shortest way. */
  readonly direct: Transport;
  /** Lets what goes over a wire break there as well, for a part of all answers. */
  misbehave?(random: Random, faultRate: number): void;
  /** Another server on the same store; `forgets`: old versions are gone. */
  restart(how: { readonly forgets: boolean }): Promise<void>;
  /** A server on the store as it was when `remember` was called. */
  restore(): Promise<void>;
  remember(): void;
  /** After how many milliseconds without a word informers give up a connection. */
  readonly inactivityMs: number;
  /** After how many milliseconds all must be as it should be once nothing goes wrong any more. */
  readonly longestMs: number;
  close(): Promise<void>;
}
