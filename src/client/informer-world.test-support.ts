import type { Clock } from "../base/clock.ts";
import type { Transport } from "./transport.ts";

/** A server of its own, and the time it lives in. */
export interface InformerWorld {
  readonly clock: Clock;
  /** Lets time pass. */
  advance(ms: number): Promise<void>;
  /** Reaches the server that runs now. */
  readonly transport: Transport;
  /** Another server on the same store; `forgets`: old versions are gone. */
  restart(how: { readonly forgets: boolean }): Promise<void>;
  /** A server on the store as it was when `remember` was called. */
  restore(): Promise<void>;
  remember(): void;
  /** After how many milliseconds without a word informers give up a connection. */
  readonly inactivityMs: number;
  close(): Promise<void>;
}
