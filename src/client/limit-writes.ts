import type { Clock, Timer } from "../base/clock.ts";
import type { Transport, TransportRequest } from "./transport.ts";

export interface WriteLimits {
  /** So many writes are under way at a time; others wait for their turn. */
  readonly most: number;
  readonly clock: Clock;
}

/**
 * A limit for the writes that several transports make together. What is done comes before what is
 * said of it: few events are written at a time, and none while there are other writes, unless they
 * have waited for long. Reads pass.
 */
export function limitWrites({ most, clock }: WriteLimits): (transport: Transport) => Transport {
  const writes: Lane = { underWay: 0, waiting: [] };
  const events: Lane = { underWay: 0, waiting: [] };
  let patience: Timer | undefined;

  const hasWaitedLong = ({ since }: Waiting): boolean => clock.now() - since >= patienceMs;
  const begin = (): void => {
    while (writes.underWay < most && goNext(writes));
    const [first] = events.waiting;
    const mayGo = writes.underWay === 0 || (first !== undefined && hasWaitedLong(first));
    while (mayGo && events.underWay < mostEvents && goNext(events));
    if (events.waiting.length === 0) {
      patience?.cancel();
      patience = undefined;
    } else {
      patience ??= clock.setTimer(patienceMs, () => {
        patience = undefined;
        begin();
      });
    }
  };
  const inLane = async <T>(lane: Lane, work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((go) => {
      lane.waiting.push({ go, since: clock.now() });
      begin();
    });
    try {
      return await work();
    } finally {
      lane.underWay--;
      begin();
    }
  };
  return (transport) => (request) => {
    if (request.method === "GET" || request.method === "HEAD") return transport(request);
    return inLane(isEvent(request) ? events : writes, () => transport(request));
  };
}

interface Lane {
  underWay: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly go: () => void;
  readonly since: number;
}

function goNext(lane: Lane): boolean {
  const next = lane.waiting.shift();
  if (!next) return false;
  lane.underWay++;
  next.go();
  return true;
}

const isEvent = ({ path }: TransportRequest): boolean =>
  /\/namespaces\/[^/]+\/events(?:\/[^/]*)?$/.test(path);

const mostEvents = 4;
/** So long an event waits for others' writes to be done. */
const patienceMs = 2000;
