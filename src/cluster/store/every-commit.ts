import type { Store, WatchBatch } from "../../store/store.ts";

export interface CommitRange {
  /** The revision before the first. */
  readonly from: number;
  /** The last revision. */
  readonly to: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * All commits of a range of revisions that the store keeps, with what each changed under a prefix.
 * Commits that changed nothing there are among them: else nobody could tell that the last has come.
 */
export async function* everyCommit(
  store: Store,
  prefix: string,
  { from, to, signal }: CommitRange,
): AsyncGenerator<WatchBatch> {
  if (from >= to) return;
  const options = {
    from,
    progress: true,
    buffer: Number.POSITIVE_INFINITY,
    ...(signal && { signal }),
  };
  for await (const batch of store.watch(prefix, options)) {
    if (batch.revision > to) return;
    yield batch;
    if (batch.revision === to) return;
  }
  signal?.throwIfAborted();
}
