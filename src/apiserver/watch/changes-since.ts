import type { ListResult, StoreEvent } from "../../store/store.ts";
import type { StoredEntry } from "../objects/stored.ts";

/**
 * What must have happened between what is known of the store and what it holds now, in the order of
 * revisions: the last change of each key, and before it the end of an entry that was there before.
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
