import { StatusError } from "../api/meta/v1/status-error.ts";
import { jittered } from "../base/backoff.ts";
import { type Clock, sleep, withDeadline } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";

/** An event that is to be written, or told again. */
export interface EventWrite {
  readonly name: string;
  readonly namespace: string;
  /** Whether it was written before: then its name may be found taken, and be free a moment later. */
  readonly isKnown: boolean;
  write(signal: AbortSignal): Promise<unknown>;
}

/** Writes events one after the other, each again and again while nobody answers. */
export interface EventWriter {
  enqueue(write: EventWrite): void;
  /** Resolves when all is written, or after `ms`; nothing is written after that. */
  close(ms: number): Promise<void>;
}

export interface EventWriterOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A writer that has nothing to write yet. */
export function createEventWriter(options: EventWriterOptions): EventWriter {
  const { clock, log } = options;
  const ending = new AbortController();
  const queue: EventWrite[] = [];
  let working: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift())
      await written(options, next, ending.signal);
    working = undefined;
  };
  return {
    enqueue(write) {
      if (queue.length >= mostQueued) {
        log.warn("too many events wait, one is dropped");
        return;
      }
      queue.push(write);
      working ??= work();
    },
    async close(ms) {
      const all = working;
      if (!all) return;
      await withDeadline({ clock, ms }, () => all).catch(() => {
        log.warn("events are left that could not be written", { count: queue.length + 1 });
        queue.length = 0;
      });
      ending.abort(new Error("the event sink is closed"));
    },
  };
}

const mostQueued = 1000;
const mostTries = 12;
const retryMs = 10_000;

async function written(
  { clock, random, log }: EventWriterOptions,
  { name, namespace, isKnown, write }: EventWrite,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      await write(signal);
      return;
    } catch (error) {
      const isTaken = StatusError.is(error, "AlreadyExists");
      const mayRetry = !(error instanceof StatusError) || (isKnown && isTaken);
      if (!mayRetry || (error as Error).name === "NotLeaderError" || tries >= mostTries) {
        if (!signal.aborted) log.warn("an event could not be written", { name, namespace, error });
        return;
      }
    }
    await sleep(clock, jittered(retryMs, 0.25, random), signal).catch(() => undefined);
  }
}
