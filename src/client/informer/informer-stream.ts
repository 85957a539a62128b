import { abortReason } from "../../base/abort-reason.ts";
import type { Clock } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { SelectOptions, WatchOptions } from "../call-options.ts";
import type { Client } from "../client.ts";
import type { ResourceKind } from "../resource-kind.ts";
import type { WatchEvent } from "../watch-stream.ts";
import { silenceLimit } from "./silence-limit.ts";

/** A watch that says when nothing is heard any more. */
export interface InformerStream<O> {
  /** What has arrived; undefined when the server has ended it. */
  next(): Promise<readonly WatchEvent<O>[] | undefined>;
  /** How many times something arrived. */
  readonly batches: number;
  /** Whether it was given up because nothing was heard for too long. */
  readonly isSilent: boolean;
  close(): Promise<void>;
}

/** How objects are watched. */
export interface Watching<O> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ResourceKind<O>;
  readonly select: SelectOptions;
  /** After so many milliseconds without a word a watch is given up. */
  readonly inactivityMs: number;
  readonly signal: AbortSignal;
  /** Is told that something has arrived. */
  readonly onHeard: () => void;
}

/** Begins a watch. */
export function openStream<O>(watching: Watching<O>, how: WatchOptions): InformerStream<O> {
  const { client, clock, kind, select, inactivityMs, signal, onHeard } = watching;
  const ending = new AbortController();
  let isSilent = false;
  let batches = 0;
  const silence = silenceLimit(clock, inactivityMs, () => {
    isSilent = true;
    ending.abort(new Error(`nothing was heard for ${inactivityMs} ms`));
  });
  const end = (): void => {
    silence.stop();
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
    get isSilent() {
      return isSilent;
    },
    async next() {
      const { done, value } = await events.next();
      if (done) return undefined;
      batches++;
      silence.heard();
      onHeard();
      return value;
    },
    async close() {
      silence.stop();
      unfollow();
      ending.abort(abortReason);
      // What becomes of a call that is not wanted any more concerns nobody.
      await events.return?.().catch(() => undefined);
    },
  };
}
