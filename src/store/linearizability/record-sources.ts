import type { Random } from "../../base/random.ts";
import type { History, LogBatch, Recorded, WatchLog } from "./history.ts";
import { type HistoryClient, type RecordOptions, recordHistory } from "./record-history.ts";

/** A way to the data: a store, or a server of its API. */
export interface HistorySource extends HistoryClient {
  /** Every change after a revision; where it was cut off it ends, and goes on by another watch. */
  watch(options: SourceWatchOptions): AsyncIterable<LogBatch>;
}

export interface SourceWatchOptions {
  readonly from: number;
  /** Whether it also tells how far it is. */
  readonly progress: boolean;
  readonly signal: AbortSignal;
}

export interface RecordSourcesOptions extends Omit<RecordOptions, "clients"> {
  /** One and the same data, by one or several ways; nothing was ever under the keys. */
  readonly sources: readonly HistorySource[];
  /** How many ask at the same time, and how many watch. */
  readonly clients: number;
  readonly watches: number;
  /** Told the revision that the history begins after, before anything of it is written. */
  readonly begun?: (revision: number) => void;
  /** Resolves when the data can be reached again, after the last client has ended. */
  readonly settled?: () => Promise<void>;
  /** Rejects if what it is given takes too long: nothing may hang. */
  readonly deadline?: <T>(work: Promise<T>) => Promise<T>;
}

/** Records what clients and watches see of the same data. */
export async function recordSources(options: RecordSourcesOptions): Promise<History> {
  const { sources, deadline = (work) => work } = options;
  const source = (index: number): HistorySource => sources[index % sources.length] as HistorySource;
  const { revision: from } = await source(0).list();
  options.begun?.(from);
  const stop = new AbortController();
  const watches = numbers(options.watches).map((index) =>
    follow(source(index), from, { ...options, stop: stop.signal }),
  );
  const operations = await recordHistory({
    ...options,
    clients: numbers(options.clients).map(source),
  });
  await options.settled?.();
  const last = await deadline(writeLast(source(0), options));
  const log = await deadline(readLog(source(0), from, endOf(last)));
  stop.abort();
  const logs = await deadline(Promise.all(watches));
  return { operations: [...operations, ...last], watches: logs.flat(), log };
}

interface FollowOptions {
  readonly random: Random;
  readonly ended: () => boolean;
  readonly pause?: () => Promise<void>;
  readonly stop: AbortSignal;
}

/**
 * Watches on and on: some to the end, some for a while, again from where they were or from further
 * back; and, where one was cut off, from where it was.
 */
async function follow(
  source: HistorySource,
  start: number,
  { random, ended, pause, stop }: FollowOptions,
): Promise<WatchLog[]> {
  const logs: WatchLog[] = [];
  for (let from = start; !stop.aborted; await pause?.()) {
    const batches: LogBatch[] = [];
    logs.push({ from, batches });
    const progress = random.next() < 0.5;
    const most = random.next() < 0.1 ? Number.POSITIVE_INFINITY : 1 + random.next() * 200;
    for await (const batch of source.watch({ from, progress, signal: stop })) {
      batches.push(batch);
      if (batches.length >= most && !ended()) break;
    }
    const reached = batches.at(-1)?.revision ?? from;
    from = start + Math.floor((random.next() < 0.5 ? 1 : random.next()) * (reached - start));
  }
  return logs;
}

/** Writes a key that comes after all others, so that the end of the log is known. */
async function writeLast(
  source: HistorySource,
  { now, keys }: Pick<RecordOptions, "now" | "keys">,
): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  for (let attempt = 0; endOf(recorded) === 0; attempt++) {
    const request = { key: `${keys[0]}-end-${attempt}`, value: `end.${attempt}`, ifRevision: 0 };
    const call = now();
    const outcome = await source.write(request);
    const end = outcome.type === "unknown" ? Number.POSITIVE_INFINITY : now();
    recorded.push({
      client: 0,
      call,
      return: end,
      operation: { type: "write", ...request, outcome },
    });
  }
  return recorded;
}

/** The revision of the write that was acknowledged. */
function endOf(recorded: readonly Recorded[]): number {
  const operation = recorded.at(-1)?.operation;
  const outcome = operation?.type === "write" ? operation.outcome : undefined;
  return (outcome?.type === "done" && outcome.revision) || 0;
}

async function readLog(source: HistorySource, from: number, to: number): Promise<WatchLog> {
  const batches: LogBatch[] = [];
  const { signal } = new AbortController();
  for (let reached = from; reached < to; ) {
    for await (const batch of source.watch({ from: reached, progress: false, signal })) {
      batches.push(batch);
      reached = batch.revision;
      if (reached >= to) break;
    }
  }
  return { from, batches };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
