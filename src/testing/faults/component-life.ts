import { abortReason } from "../../base/abort-reason.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../../client/transport.ts";
import { type LinkedSignal, linkedSignal } from "../../controller-runtime/manager/linked-signal.ts";
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
  /** Those under way, which end with the connection. */
  const watches = new Set<LinkedSignal>();
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
  const response = (given: TransportResponse, ended = (): void => {}): TransportResponse => ({
    status: given.status,
    headers: given.headers,
    value: () => told(given.value().finally(ended)),
    values: () => stream(given.values(), { told, ended }),
    bytes: () => stream(given.bytes(), { told, ended }),
  });
  const watch = (transport: Transport, request: TransportRequest): Promise<TransportResponse> => {
    const link = linkedSignal(request.signal);
    const ended = (): void => {
      link.unlink();
      watches.delete(link);
    };
    watches.add(link);
    return told(
      transport({ ...request, signal: link.signal }).then(
        (given) => response(given, ended),
        (error: unknown) => {
          ended();
          throw error;
        },
      ),
    );
  };
  const breakOff = (reason: unknown): void => {
    for (const link of [...watches]) link.abort(reason);
  };
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
      if (isWatch(request.query)) return watch(transport, request);
      return told(transport(request).then((given) => response(given)));
    },
    cut() {
      breakOff(new TransportError("read: connection reset by peer"));
    },
    kill() {
      waiting.length = 0;
      for (const timer of timers) timer.cancel();
      timers.clear();
      isOver = true;
      breakOff(abortReason);
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

const never = new Promise<never>(() => {});

/** A stream of which is told what may be told; `ended` is called when it is not read any more. */
function stream<T>(
  chunks: AsyncIterable<T>,
  { told, ended }: { told<V>(work: Promise<V>): Promise<V>; ended(): void },
): AsyncIterableIterator<T> {
  const iterator = chunks[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        const next = await told(iterator.next());
        if (next.done) ended();
        return next;
      } catch (error) {
        ended();
        throw error;
      }
    },
    async return() {
      ended();
      await told(Promise.resolve(iterator.return?.()));
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
