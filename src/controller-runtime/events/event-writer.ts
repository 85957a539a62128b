import { StatusError } from "../../api/meta/v1/status-error.ts";
import { jittered } from "../../base/backoff.ts";
import { type Clock, sleep, withDeadline } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";

/** An event to create or update. */
export interface EventWrite {
  readonly name: string;
  readonly namespace: string;
  /** Whether it may have been created by an earlier attempt: then its name may be taken. */
  readonly isKnown: boolean;
  write(signal: AbortSignal): Promise<unknown>;
}

/** Writes events, several at the same time but none twice, with retries while the server does not respond. */
export interface EventWriter {
  enqueue(write: EventWrite): void;
  /** Resolves when all events are written, or after `ms`; nothing is written after that. */
  close(ms: number): Promise<void>;
}

export interface EventWriterOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A writer with an empty queue. */
export function createEventWriter(options: EventWriterOptions): EventWriter {
  const { clock, log } = options;
  const ending = new AbortController();
  const queue: EventWrite[] = [];
  const working = new Set<Promise<void>>();
  let isDropping = false;
  /** The names of events that are being written. */
  const busy = new Set<string>();
  const nameIn = ({ namespace, name }: EventWrite): string => `${namespace}/${name}`;

  const next = (): EventWrite | undefined => {
    const index = queue.findIndex((write) => !busy.has(nameIn(write)));
    return index < 0 ? undefined : queue.splice(index, 1)[0];
  };
  const work = async (): Promise<void> => {
    for (let write = next(); write; write = next()) {
      busy.add(nameIn(write));
      await written(options, write, ending.signal);
      busy.delete(nameIn(write));
    }
  };
  const begin = (): void => {
    if (working.size >= mostAtOnce) return;
    const worker: Promise<void> = work().finally(() => working.delete(worker));
    working.add(worker);
  };
  return {
    enqueue(write) {
      if (queue.length >= mostQueued) {
        if (!isDropping) log.warn("too many events are queued, some are dropped");
        isDropping = true;
        return;
      }
      isDropping = false;
      queue.push(write);
      begin();
    },
    async close(ms) {
      if (working.size === 0) return;
      const all = async (): Promise<void> => {
        await Promise.all(working);
      };
      await withDeadline({ clock, ms }, all).catch(() => {
        const count = queue.length + working.size;
        log.warn("events were not written before shutdown", { count });
        queue.length = 0;
      });
      ending.abort(new Error("the event sink is closed"));
    },
  };
}

const mostQueued = 10_000;
/** Few, because other writes of controllers are more urgent than events. */
const mostAtOnce = 4;
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
        if (!signal.aborted) log.warn("writing an event failed", { name, namespace, error });
        return;
      }
    }
    await sleep(clock, jittered(retryMs, 0.25, random), signal).catch(() => undefined);
  }
}
