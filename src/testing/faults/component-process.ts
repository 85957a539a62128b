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

/** A simulated process of a component: its clock and connections, until it is killed. */
export interface ComponentProcess {
  /** The cluster's clock; no timer fires while the component is paused or after it was killed. */
  readonly clock: Clock;
  /** Wraps a transport; nothing arrives while the component is paused or after it was killed. */
  transport(transport: Transport): Transport;
  kill(): void;
  /** Breaks open connections to the API server. */
  cut(): void;
  pause(): void;
  resume(): void;
}

/** Starts a process. Code of a killed one is never resumed: its promises do not settle. */
export function componentProcess(clock: Clock): ComponentProcess {
  let isOver = false;
  /** Open watches, which end with the connection. */
  const watches = new Set<LinkedSignal>();
  const timers = new Set<Timer>();
  const waiting: (() => void)[] = [];
  let isPaused = false;
  const whenAwake = (go: () => void): void => {
    if (isOver) return;
    if (isPaused) waiting.push(go);
    else go();
  };
  const whileRunning = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      work.then(
        (value) => whenAwake(() => resolve(value)),
        (error: unknown) => whenAwake(() => reject(error)),
      );
    });
  const response = (given: TransportResponse, ended = (): void => {}): TransportResponse => ({
    status: given.status,
    headers: given.headers,
    value: () => whileRunning(given.value().finally(ended)),
    values: () => stream(given.values(), { whileRunning, ended }),
    bytes: () => stream(given.bytes(), { whileRunning, ended }),
  });
  const watch = (transport: Transport, request: TransportRequest): Promise<TransportResponse> => {
    const link = linkedSignal(request.signal);
    const ended = (): void => {
      link.unlink();
      watches.delete(link);
    };
    watches.add(link);
    return whileRunning(
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
      // Short requests complete at once and need no signal.
      if (isWatch(request.query)) return watch(transport, request);
      return whileRunning(transport(request).then((given) => response(given)));
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

/** Wraps a stream so that pauses and kills affect it; `ended` is called when reading ends. */
function stream<T>(
  chunks: AsyncIterable<T>,
  { whileRunning, ended }: { whileRunning<V>(work: Promise<V>): Promise<V>; ended(): void },
): AsyncIterableIterator<T> {
  const iterator = chunks[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        const next = await whileRunning(iterator.next());
        if (next.done) ended();
        return next;
      } catch (error) {
        ended();
        throw error;
      }
    },
    async return() {
      ended();
      await whileRunning(Promise.resolve(iterator.return?.()));
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
