import { type Entry, type Store, StoreError } from "../../store/store.ts";
import { everyCommit } from "./every-commit.ts";

/** One version of a key: the entries after and before it. */
export interface KeyVersion {
  readonly revision: number;
  /** Absent for a deletion. */
  readonly entry: Entry | undefined;
  /** Absent for a creation, and if it is no longer kept. */
  readonly previous: Entry | undefined;
}

/** Every version of a key that the store keeps, oldest first. */
export async function keyHistory(
  store: Store,
  key: string,
  signal?: AbortSignal,
): Promise<KeyVersion[]> {
  const [oldest, current] = await Promise.all([oldestRevision(store), store.currentRevision()]);
  const first = await store.get(key, oldest);
  const versions: KeyVersion[] = first
    ? [{ revision: first.modRevision, entry: first, previous: undefined }]
    : [];
  for await (const { events } of everyCommit(store, key, { from: oldest, to: current, signal }))
    for (const { key: one, entry, previous, revision } of events)
      if (one === key) versions.push({ revision, entry, previous });
  return versions;
}

/** The oldest revision that can be read. */
export async function oldestRevision(store: Store): Promise<number> {
  try {
    await store.list("", { revision: 1, limit: 1 });
    return 1;
  } catch (error) {
    if (error instanceof StoreError && error.code === "Compacted") return error.revision;
    throw error;
  }
}
