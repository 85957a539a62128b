import type { Clock, Timer } from "../base/clock.ts";
import type { Transport, TransportRequest } from "./transport.ts";

export interface WriteLimits {
  /** The number of writes per component that may be in flight; further ones are queued. */
  readonly maxInFlight: number;
  readonly clock: Clock;
}

/** Wraps transports; all transports of one limit share its queue. */
export type WriteLimit = (transport: Transport) => Transport;

/**
 * Limits the writes in flight per component; a component asks for its limit by name when it starts, and
 * gets a new one after a restart. Events have a lower priority: a few at a time, and only while no
 * component has other writes in flight, unless an event has waited for long. Reads are not limited.
 */
export function writeLimits({ maxInFlight, clock }: WriteLimits): (name: string) => WriteLimit {
  const components = new Map<string, Component>();
  const isAnyWriting = (): boolean => {
    for (const { writes } of components.values()) if (writes.inFlight > 0) return true;
    return false;
  };
  const startWrites = ({ writes }: Component): void => {
    while (writes.inFlight < maxInFlight && startNext(writes));
    sendEventsIfIdle();
  };
  const sendEventsIfIdle = (): void => {
    if (!isAnyWriting()) for (const component of components.values()) sendEvents(component, true);
  };
  const sendEvents = (component: Component, isIdle: boolean): void => {
    const { events } = component;
    const [first] = events.waiting;
    const mayStart =
      isIdle || (first !== undefined && clock.now() - first.since >= maxEventDelayMs);
    while (mayStart && events.inFlight < maxEventsInFlight && startNext(events));
    if (events.waiting.length === 0) {
      component.eventTimer?.cancel();
      component.eventTimer = undefined;
    } else {
      component.eventTimer ??= clock.setTimer(maxEventDelayMs, () => {
        component.eventTimer = undefined;
        sendEvents(component, !isAnyWriting());
      });
    }
  };
  /** Runs a request once its lane has room, and then starts the next one. */
  const inLane = async <T>(
    lane: Lane,
    { hasRoom, next }: { readonly hasRoom: boolean; readonly next: () => void },
    work: () => Promise<T>,
  ): Promise<T> => {
    if (hasRoom) lane.inFlight++;
    else
      await new Promise<void>((start) => {
        lane.waiting.push({ start, since: clock.now() });
        next();
      });
    try {
      return await work();
    } finally {
      lane.inFlight--;
      next();
    }
  };
  return (name) => {
    const component: Component = { writes: newLane(), events: newLane(), eventTimer: undefined };
    const { writes, events } = component;
    components.set(name, component);
    sendEventsIfIdle();
    const nextWrite = (): void => startWrites(component);
    const nextEvent = (): void => sendEvents(component, !isAnyWriting());
    return (transport) => (request) => {
      if (request.method === "GET" || request.method === "HEAD") return transport(request);
      const work = (): ReturnType<Transport> => transport(request);
      if (isEvent(request)) return inLane(events, { hasRoom: false, next: nextEvent }, work);
      const hasRoom = writes.inFlight < maxInFlight && writes.waiting.length === 0;
      return inLane(writes, { hasRoom, next: nextWrite }, work);
    };
  };
}

interface Component {
  readonly writes: Lane;
  readonly events: Lane;
  eventTimer: Timer | undefined;
}

interface Lane {
  inFlight: number;
  readonly waiting: Waiting[];
}

const newLane = (): Lane => ({ inFlight: 0, waiting: [] });

interface Waiting {
  readonly start: () => void;
  readonly since: number;
}

function startNext(lane: Lane): boolean {
  const next = lane.waiting.shift();
  if (!next) return false;
  lane.inFlight++;
  next.start();
  return true;
}

const isEvent = ({ path }: TransportRequest): boolean =>
  /\/namespaces\/[^/]+\/events(?:\/[^/]*)?$/.test(path);

const maxEventsInFlight = 4;
/** Events that have waited this long are sent although other writes are in flight. */
const maxEventDelayMs = 2000;
