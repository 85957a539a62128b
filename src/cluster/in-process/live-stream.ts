import type { StreamBody } from "../../apiserver/request/request.ts";
import type { InProcessCall } from "./in-process-call.ts";

/** How many chunks may wait for a client before its server has to wait. */
const capacity = 1000;

/**
 * What a stream writes, as much at a time as has been written. It begins when it is first asked, is asked
 * again when it has answered, and ends with the call or when whoever asks stops.
 */
export function liveStream<Chunk>(
  body: StreamBody<Chunk>,
  call: InProcessCall,
): AsyncIterableIterator<readonly Chunk[]> {
  let waiting: Chunk[] = [];
  let hasEnded = false;
  let isClosed = false;
  let wake: () => void = () => {};
  let resume: () => void = () => {};
  let stop: (() => void) | undefined;

  const begin = (): void => {
    stop = body.start({
      write(chunk) {
        waiting.push(chunk);
        wake();
        return waiting.length < capacity;
      },
      end() {
        hasEnded = true;
        wake();
      },
      onDrain(listener) {
        resume = listener;
      },
    });
    call.onEnd(() => {
      stop?.();
      wake();
    });
  };
  const close = (): IteratorResult<readonly Chunk[], undefined> => {
    isClosed = true;
    call.end();
    return { done: true, value: undefined };
  };

  return {
    async next() {
      if (isClosed) return close();
      call.throwIfEnded();
      if (stop) resume();
      else begin();
      if (waiting.length === 0 && !hasEnded)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (isClosed) return close();
      call.throwIfEnded();
      if (waiting.length === 0) return close();
      const value = waiting;
      waiting = [];
      return { done: false, value };
    },
    async return() {
      return close();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
