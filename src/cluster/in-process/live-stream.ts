import type { StreamBody } from "../../apiserver/request/request.ts";
import type { InProcessCall } from "./in-process-call.ts";

/** How many chunks are buffered before the server has to wait for the client. */
const capacity = 1000;

/**
 * Reads a stream in batches of all chunks written since the last read. It starts with the first read, and
 * ends with the call or when the caller stops reading.
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
