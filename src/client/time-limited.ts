import { type Clock, withDeadline } from "../base/clock.ts";
import type { Transport } from "./transport.ts";

export interface TimeLimit {
  readonly clock: Clock;
  /** How long a response may take to begin; undefined for no limit. */
  readonly ms: number | undefined;
}

/** Wraps a transport: requests whose response does not begin in time are aborted. */
export function timeLimited(transport: Transport, { clock, ms }: TimeLimit): Transport {
  if (ms === undefined) return transport;
  return (request) => {
    const deadline = { clock, ms, signal: request.signal };
    return withDeadline(deadline, (signal) => transport({ ...request, signal }));
  };
}
