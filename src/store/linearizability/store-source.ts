import { type Entry, type Op, type Store, StoreError, type WatchBatch } from "../store.ts";
import type { LogBatch, Version, WriteOutcome } from "./history.ts";
import type { HistorySource } from "./record-sources.ts";

/** Records a store under a prefix. */
export function storeSource(store: Store, prefix: string): HistorySource {
  return {
    get: async (key) => toVersion(await store.get(key)),
    list: async () => {
      const { entries, revision } = await store.list(prefix);
      return { found: new Map(entries.map((entry) => [entry.key, toVersion(entry)])), revision };
    },
    write: async ({ key, value, ifRevision }) => {
      const condition = ifRevision === undefined ? {} : { ifRevision };
      const op: Op =
        value === undefined
          ? { type: "delete", key, ...condition }
          : { type: "put", key, value: new TextEncoder().encode(value), ...condition };
      return await commit(store, op);
    },
    async *watch(options) {
      try {
        for await (const batch of store.watch(prefix, options)) yield toLogBatch(batch);
      } catch (error) {
        if (!(error instanceof StoreError && resumable.includes(error.code))) throw error;
      }
    },
  };
}

const resumable: readonly string[] = ["SlowWatcher", "Unavailable"];

async function commit(store: Store, op: Op): Promise<WriteOutcome> {
  try {
    const outcome = await store.commit([op]);
    if (outcome.ok) return { type: "done", revision: outcome.revision };
    return { type: "refused", current: toVersion(outcome.current) ?? "absent" };
  } catch (error) {
    if (error instanceof StoreError && error.code === "UnknownOutcome") return { type: "unknown" };
    throw error;
  }
}

function toLogBatch({ revision, events }: WatchBatch): LogBatch {
  const changes = events.map(({ key, entry }) => ({ key, value: entry && toVersion(entry).value }));
  return { revision, changes };
}

function toVersion(entry: Entry): Version;
function toVersion(entry: Entry | undefined): Version | undefined;
function toVersion(entry: Entry | undefined): Version | undefined {
  return entry && { value: new TextDecoder().decode(entry.value), revision: entry.modRevision };
}
