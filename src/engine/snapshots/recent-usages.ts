import type { SnapshotUsage } from "./snapshots.ts";

/**
 * What snapshots take, counted not long ago. Counting walks through all files, and statistics are read every few
 * seconds by several programs: it is repeated only after ten seconds, and after twenty times as long as it took.
 */
export class RecentUsages {
  readonly #count: (id: string) => Promise<SnapshotUsage>;
  readonly #now: () => number;
  readonly #known = new Map<string, { readonly usage: Promise<SnapshotUsage>; until: number }>();

  constructor(count: (id: string) => Promise<SnapshotUsage>, now = () => performance.now()) {
    this.#count = count;
    this.#now = now;
  }

  of(id: string): Promise<SnapshotUsage> {
    const before = this.#known.get(id);
    if (before && before.until > this.#now()) return before.usage;
    const began = this.#now();
    const usage = this.#count(id);
    const entry = { usage, until: Number.POSITIVE_INFINITY };
    this.#known.set(id, entry);
    usage.then(
      () => {
        const ended = this.#now();
        entry.until = ended + Math.max(restMs, (ended - began) * pauseFactor);
      },
      () => this.forget(id),
    );
    return usage;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }
}

const restMs = 10_000;
const pauseFactor = 20;
