import type { Clock, Timer } from "../base/clock.ts";
import type { Transport, TransportRequest } from "./transport.ts";

export interface WriteLimits {
  /** So many writes of a component are under way at a time; others wait for their turn. */
  readonly most: number;
  readonly clock: Clock;
}

/** Makes transports wait for their turn, all that it is given together. */
export type WriteLimit = (transport: Transport) => Transport;

/**
 * Limits for the writes of several components; each limit is one's own, and is asked for by its name
 * when the component begins, anew where it begins again. What is done by any of them comes before
 * what is said of it: few events are written at a time, and none while there are other writes, unless
 * they have waited for long. Reads pass.
 */
export function writeLimits({ most, clock }: WriteLimits): (name: string) => WriteLimit {
  const components = new Map<string, Component>();
  const isAnyWriting = (): boolean => {
    for (const { writes } of components.values()) if (writes.underWay > 0) return true;
    return false;
  };
  const begin = ({ writes }: Component): void => {
    while (writes.underWay < most && goNext(writes));
    tellIfIdle();
  };
  const tellIfIdle = (): void => {
    if (!isAnyWriting()) for (const component of components.values()) tell(component, true);
  };
  const tell = (component: Component, isIdle: boolean): void => {
    const { events } = component;
    const [first] = events.waiting;
    const mayGo = isIdle || (first !== undefined && clock.now() - first.since >= patienceMs);
    while (mayGo && events.underWay < mostEvents && goNext(events));
    if (events.waiting.length === 0) {
      component.patience?.cancel();
      component.patience = undefined;
    } else {
      component.patience ??= clock.setTimer(patienceMs, () => {
        component.patience = undefined;
        tell(component, !isAnyWriting());
      });
    }
  };
  /** Does some work when there is room in a lane, and then lets the next begin. */
  const inLane = async <T>(
    lane: Lane,
    { hasRoom, next }: { readonly hasRoom: boolean; readonly next: () => void },
    work: () => Promise<T>,
  ): Promise<T> => {
    if (hasRoom) lane.underWay++;
    else
      await new Promise<void>((go) => {
        lane.waiting.push({ go, since: clock.now() });
        next();
      });
    try {
      return await work();
    } finally {
      lane.underWay--;
      next();
    }
  };
  return (name) => {
    const component: Component = { writes: newLane(), events: newLane(), patience: undefined };
    const { writes, events } = component;
    components.set(name, component);
    tellIfIdle();
    const nextWrite = (): void => begin(component);
    const nextEvent = (): void => tell(component, !isAnyWriting());
    return (transport) => (request) => {
      if (request.method === "GET" || request.method === "HEAD") return transport(request);
      const work = (): ReturnType<Transport> => transport(request);
      if (isEvent(request)) return inLane(events, { hasRoom: false, next: nextEvent }, work);
      const hasRoom = writes.underWay < most && writes.waiting.length === 0;
      return inLane(writes, { hasRoom, next: nextWrite }, work);
    };
  };
}

interface Component {
  readonly writes: Lane;
  readonly events: Lane;
  patience: Timer | undefined;
}

interface Lane {
  underWay: number;
  readonly waiting: Waiting[];
}

const newLane = (): Lane => ({ underWay: 0, waiting: [] });

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
