import type { Random } from "../../base/random.ts";
import { type Store, StoreError } from "../store.ts";
import type { History, LogBatch, WatchLog } from "./history.ts";
import { type RecordOptions, recordHistory } from "./record-history.ts";
import { storeClient, toLogBatch } from "./store-client.ts";

export interface RecordStoreOptions extends Omit<RecordOptions, "clients" | "keys"> {
  /** One and the same data, by one or several ways to it. */
  readonly stores: readonly Store[];
  /** Of all keys that are written; nothing was ever under it. */
  readonly prefix: string;
  readonly clients: number;
  readonly keys: number;
  readonly watches: number;
  /** Resolves when the store is whole again, after the last client has ended. */
  readonly settled?: () => Promise<void>;
  /** Rejects if what it is given takes too long: nothing may hang. */
  readonly deadline?: <T>(work: Promise<T>) => Promise<T>;
}

/** Records what clients and watches see of a store, or of several on the same data. */
export async function recordStore(options: RecordStoreOptions): Promise<History> {
  const { stores, prefix, deadline = (work) => work } = options;
  const store = (index: number): Store => stores[index % stores.length] as Store;
  const from = await store(0).currentRevision();
  const stop = new AbortController();
  const watches = numbers(options.watches).map((index) =>
    follow(store(index), from, { ...options, stop: stop.signal }),
  );
  const operations = await recordHistory({
    ...options,
    clients: numbers(options.clients).map((index) => storeClient(store(index), prefix)),
    keys: numbers(options.keys).map((index) => `${prefix}${index}`),
  });
  await options.settled?.();
  const revision = await deadline(store(0).currentRevision());
  const log = await deadline(readLog(store(0), prefix, { from, to: revision }));
  stop.abort();
  return { operations, watches: (await deadline(Promise.all(watches))).flat(), log };
}

interface FollowOptions {
  readonly prefix: string;
  readonly random: Random;
  readonly ended: () => boolean;
  readonly stop: AbortSignal;
}

/**
 * Watches on and on: some to the end, some for a while, again from where they were or from further
 * back; and, where the store ended one, from where it was.
 */
async function follow(store: Store, start: number, options: FollowOptions): Promise<WatchLog[]> {
  const { prefix, random, ended, stop } = options;
  const logs: WatchLog[] = [];
  let from = start;
  while (!stop.aborted) {
    const batches: LogBatch[] = [];
    logs.push({ from, batches });
    const progress = random.next() < 0.5;
    const most = random.next() < 0.1 ? Number.POSITIVE_INFINITY : 1 + random.next() * 200;
    try {
      for await (const batch of store.watch(prefix, { from, progress, signal: stop })) {
        batches.push(toLogBatch(batch));
        if (batches.length >= most && !ended()) break;
      }
    } catch (error) {
      if (!(error instanceof StoreError) || !resumable.includes(error.code)) throw error;
    }
    const reached = batches.at(-1)?.revision ?? from;
    from = start + Math.floor((random.next() < 0.5 ? 1 : random.next()) * (reached - start));
  }
  return logs;
}

const resumable: readonly string[] = ["SlowWatcher", "Unavailable"];

async function readLog(
  store: Store,
  prefix: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<WatchLog> {
  const batches: LogBatch[] = [];
  if (to > from) {
    for await (const batch of store.watch(prefix, { from, progress: true, buffer: Infinity })) {
      batches.push(toLogBatch(batch));
      if (batch.revision >= to) break;
    }
  }
  return { from, batches };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
