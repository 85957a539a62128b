import { setMaxListeners } from "node:events";
import type { Clock, Timer } from "../../base/clock.ts";
import { over } from "../../base/over.ts";
import { type Transport, TransportError, type TransportResponse } from "../../client/transport.ts";
import { isWatch } from "./faulty-call.ts";

/** One life of a component: all that it has of the world, until it is killed. */
export interface ComponentLife {
  /** The cluster's time; nothing fires while the component stands still, or ever again once it was killed. */
  readonly clock: Clock;
  /** A transport for it; nobody is told anything while it stands still, or ever again. */
  transport(transport: Transport): Transport;
  kill(): void;
  /** Breaks what is under way to the API server. */
  cut(): void;
  pause(): void;
  resume(): void;
}

/** A life that begins now. Code of one that has ended stays where it is: it hears of nothing. */
export function componentLife(clock: Clock): ComponentLife {
  let isOver = false;
  let connection = newConnection();
  const timers = new Set<Timer>();
  const waiting: (() => void)[] = [];
  let isPaused = false;
  const whenAwake = (go: () => void): void => {
    if (isOver) return;
    if (isPaused) waiting.push(go);
    else go();
  };
  const told = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      work.then(
        (value) => whenAwake(() => resolve(value)),
        (error: unknown) => whenAwake(() => reject(error)),
      );
    });
  const response = (given: TransportResponse): TransportResponse => ({
    status: given.status,
    headers: given.headers,
    value: () => told(given.value()),
    values: () => stream(given.values(), told),
    bytes: () => stream(given.bytes(), told),
  });
  return {
    clock: {
      now: () => clock.now(),
      ...(clock.ticks && { ticks: clock.ticks }),
      setTimer(ms, fire) {
        if (isOver) return { cancel: () => {} };
        let isCancelled = false;
        const timer = clock.setTimer(ms, () => {
          timers.delete(timer);
          whenAwake(() => {
            if (!isCancelled) fire();
          });
        });
        timers.add(timer);
        return {
          cancel() {
            isCancelled = true;
            timers.delete(timer);
            timer.cancel();
          },
        };
      },
    },
    transport: (transport) => (request) => {
      if (isOver) return never;
      // What is answered at once needs nobody who would end it.
      if (!isWatch(request.query)) return told(transport(request).then(response));
      const { signal } = request;
      const ends = signal ? AbortSignal.any([signal, connection.signal]) : connection.signal;
      return told(transport({ ...request, signal: ends }).then(response));
    },
    cut() {
      const broken = connection;
      connection = newConnection();
      broken.abort(new TransportError("read: connection reset by peer"));
    },
    kill() {
      waiting.length = 0;
      for (const timer of timers) timer.cancel();
      timers.clear();
      isOver = true;
      connection.abort(over);
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      for (const go of waiting.splice(0)) whenAwake(go);
    },
  };
}

/** Any number of calls listens for its end. */
function newConnection(): AbortController {
  const connection = new AbortController();
  setMaxListeners(0, connection.signal);
  return connection;
}

const never = new Promise<never>(() => {});

async function* stream<T>(
  chunks: AsyncIterable<T>,
  told: <V>(work: Promise<V>) => Promise<V>,
): AsyncGenerator<T> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await told(iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
