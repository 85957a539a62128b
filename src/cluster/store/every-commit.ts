import type { Store, WatchBatch } from "../../store/store.ts";

export interface CommitRange {
  /** The revision before the first commit. */
  readonly from: number;
  /** The revision of the last commit. */
  readonly to: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * All commits in a range of revisions, with the changes of each under a prefix. Commits without such
 * changes are included: otherwise the end of the range could not be recognised.
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
