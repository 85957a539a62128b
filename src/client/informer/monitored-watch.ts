import { abortReason } from "../../base/abort-reason.ts";
import type { Clock } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { SelectOptions, WatchOptions } from "../call-options.ts";
import type { Client } from "../client.ts";
import type { ResourceKind } from "../resource-kind.ts";
import type { WatchEvent } from "../watch-stream.ts";
import { inactivityTimer } from "./inactivity-timer.ts";

/** A watch that is aborted when nothing arrives for too long. */
export interface MonitoredWatch<O> {
  /** Resolves with the next events; undefined when the server has ended the watch. */
  next(): Promise<readonly WatchEvent<O>[] | undefined>;
  /** The number of batches that have arrived. */
  readonly batches: number;
  /** Whether it was aborted because nothing arrived for `inactivityMs`. */
  readonly isStalled: boolean;
  close(): Promise<void>;
}

/** What a watch request needs. */
export interface WatchRequest<O> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ResourceKind<O>;
  readonly select: SelectOptions;
  /** A watch on which nothing arrives for this many milliseconds is aborted. */
  readonly inactivityMs: number;
  readonly signal: AbortSignal;
  /** Called when something has arrived. */
  readonly onActivity: () => void;
}

/** Starts a watch. */
export function openWatch<O>(watching: WatchRequest<O>, how: WatchOptions): MonitoredWatch<O> {
  const { client, clock, kind, select, inactivityMs, signal, onActivity } = watching;
  const ending = new AbortController();
  let isStalled = false;
  let batches = 0;
  const timer = inactivityTimer(clock, inactivityMs, () => {
    isStalled = true;
    ending.abort(new Error(`the server sent nothing for ${inactivityMs} ms`));
  });
  const end = (): void => {
    timer.stop();
    ending.abort(signal.reason);
  };
  const unfollow = onAbort(signal, end);
  const events = client
    .watch(kind, { ...select, ...how, signal: ending.signal })
    .batches()
    [Symbol.asyncIterator]();
  return {
    get batches() {
      return batches;
    },
    get isStalled() {
      return isStalled;
    },
    async next() {
      const { done, value } = await events.next();
      if (done) return undefined;
      batches++;
      timer.reset();
      onActivity();
      return value;
    },
    async close() {
      timer.stop();
      unfollow();
      ending.abort(abortReason);
      // The watch is already aborted: errors of its request do not matter.
      await events.return?.().catch(() => undefined);
    },
  };
}
