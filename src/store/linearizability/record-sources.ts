import type { Random } from "../../base/random.ts";
import type { History, LogBatch, Recorded, WatchLog } from "./history.ts";
import { type HistoryClient, type RecordOptions, recordHistory } from "./record-history.ts";

/** An access to the data: a store, or a server of its API. */
export interface HistorySource extends HistoryClient {
  /** Every change after a revision; when it is interrupted it ends, and another watch continues. */
  watch(options: SourceWatchOptions): AsyncIterable<LogBatch>;
}

export interface SourceWatchOptions {
  readonly from: number;
  /** Whether to include progress notifications. */
  readonly progress: boolean;
  readonly signal: AbortSignal;
}

export interface RecordSourcesOptions extends Omit<RecordOptions, "clients"> {
  /** One or several accesses to the same data; the keys must never have existed. */
  readonly sources: readonly HistorySource[];
  /** The number of concurrent clients, and of watches. */
  readonly clients: number;
  readonly watches: number;
  /** Called with the revision before the first write. */
  readonly begun?: (revision: number) => void;
  /** Resolves when the data is reachable again, after the last client has stopped. */
  readonly settled?: () => Promise<void>;
  /** Rejects if a promise takes too long, so that nothing hangs. */
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
  const log = await deadline(readLog(source(0), { from, to: endOf(last), pause: options.pause }));
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
 * Watches repeatedly: some to the end, some for a while, restarted from the last or an earlier revision;
 * after an interruption, from the last one.
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

/** Writes a key after all others, to mark the end of the log. */
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

/** The revision of the acknowledged write. */
function endOf(recorded: readonly Recorded[]): number {
  const operation = recorded.at(-1)?.operation;
  const outcome = operation?.type === "write" ? operation.outcome : undefined;
  return (outcome?.type === "done" && outcome.revision) || 0;
}

interface LogRange {
  readonly from: number;
  readonly to: number;
  readonly pause: RecordOptions["pause"] | undefined;
}

/** Reads all changes. It pauses between watches: without a turn of the event loop, none could reconnect. */
async function readLog(source: HistorySource, { from, to, pause }: LogRange): Promise<WatchLog> {
  const batches: LogBatch[] = [];
  const { signal } = new AbortController();
  for (let reached = from; reached < to; await pause?.()) {
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
