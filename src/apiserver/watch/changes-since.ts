import type { ListResult, StoreEvent } from "../../store/store.ts";
import type { StoredEntry } from "../objects/stored.ts";

/**
 * The changes from the known entries of a store to its current ones, in the order of revisions: the
 * last change of each key, after the deletion of an entry that another one has replaced.
 */
export function changesSince(
  known: ReadonlyMap<string, Pick<StoredEntry, "modRevision">>,
  { entries, revision: now }: Pick<ListResult, "entries" | "revision">,
): StoreEvent[] {
  const events: StoreEvent[] = [];
  const removed = (key: string, revision: number): void =>
    void events.push({ type: "delete", key, entry: undefined, previous: undefined, revision });
  const left = new Set(known.keys());
  for (const entry of entries) {
    const { key, createRevision, modRevision: revision } = entry;
    const before = known.get(key);
    left.delete(key);
    if (before?.modRevision === revision) continue;
    if (before && createRevision > before.modRevision) removed(key, createRevision - 1);
    events.push({ type: "put", key, entry, previous: undefined, revision });
  }
  for (const key of left) removed(key, now);
  return events.sort((a, b) => a.revision - b.revision);
}
