import type { Store } from "../../store/store.ts";
import { everyCommit } from "./every-commit.ts";
import { oldestRevision } from "./key-history.ts";
import { readStored } from "./stored-object.ts";
import { timeOf } from "./writers.ts";

/**
 * The newest revision that was written at or before a time; undefined if none is known. Revisions have no
 * time of their own: it is taken from the objects that they wrote.
 */
export async function revisionBefore(
  store: Store,
  time: number,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const [oldest, current] = await Promise.all([oldestRevision(store), store.currentRevision()]);
  const range = { from: oldest, to: current, signal };
  let found: number | undefined;
  for await (const { revision, events } of everyCommit(store, "", range)) {
    const written = events.flatMap(({ entry }) => (entry ? [writtenAt(entry.value)] : []));
    const latest = Math.max(...written);
    if (latest > time) break;
    if (latest > 0) found = revision;
  }
  return found;
}

function writtenAt(value: Uint8Array): number {
  const { object } = readStored(value);
  return Date.parse((object && timeOf(object)) ?? "") || 0;
}
