import { internalError, StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { type AnyKind, freeze } from "../objects/object.ts";
import type { Sink, StreamBody } from "../request/request.ts";
import type { ComputedEvent } from "../subresources/computed-objects.ts";
import type { EventObject, WatchEncoding } from "./watch-encoding.ts";

export interface ComputedStreamOptions<Chunk> {
  readonly kind: AnyKind;
  readonly encoding: WatchEncoding<Chunk>;
  readonly clock: Clock;
  /** Milliseconds after which the watch ends by itself. */
  readonly timeoutMs: number;
}

/** The events of computed objects as a stream; while its client is slow, no further event is computed. */
export const computedStream = <Chunk>(
  events: AsyncIterable<ComputedEvent>,
  options: ComputedStreamOptions<Chunk>,
): StreamBody<Chunk> => ({
  start(sink) {
    const { clock, timeoutMs } = options;
    const iterator = events[Symbol.asyncIterator]();
    let isOver = false;
    const stop = (): void => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      // An iterator that waits for its next event ends with the signal of its request.
      void iterator.return?.().catch(() => {});
    };
    const finish = (): void => {
      if (isOver) return;
      stop();
      sink.end();
    };
    const timer = clock.setTimer(timeoutMs, finish);
    void send(iterator, { ...options, sink, isOver: () => isOver }).then(finish);
    return stop;
  },
});

async function send<Chunk>(
  iterator: AsyncIterator<ComputedEvent>,
  {
    kind,
    encoding,
    sink,
    isOver,
  }: ComputedStreamOptions<Chunk> & { readonly sink: Sink<Chunk>; isOver(): boolean },
): Promise<void> {
  let resume = (): void => {};
  sink.onDrain(() => resume());
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || isOver()) return;
      const chunk = encoding.event(value.type, eventObject(kind, value));
      if (sink.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  } catch (error) {
    if (isOver()) return;
    const known = error instanceof StatusError ? error : internalError(errorMessage(error));
    sink.write(encoding.error(known));
  }
}

const eventObject = (kind: AnyKind, { object }: ComputedEvent): EventObject => ({
  kind,
  object: freeze(object),
  get json() {
    return new TextEncoder().encode(kind.form.encode(object));
  },
});
