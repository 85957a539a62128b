import { type Op, StoreError } from "../store.ts";

/** What etcd's documentation calls the most that an environment should need. */
export const defaultQuotaBytes: number = 8 * 2 ** 30;

/** Tells who keeps a store that it takes no more, and when it does again. */
export type OnFull = (full: boolean, message: string) => void;

export interface QuotaOptions {
  readonly path: string;
  /** How many bytes may be in use; 0 for any number. */
  readonly bytes: number;
  readonly onFull: OnFull;
}

/** How much of the disk is in use. */
interface Usage {
  /** Known without looking. */
  readonly usedAtMost: number;
  countUsed(): number;
}

/**
 * Keeps a store from growing beyond a limit. As in etcd, what puts a key is refused then, and what only
 * deletes is not. What counts is what is in use: LMDB takes the pages that a compaction frees first.
 */
export class Quota {
  readonly #options: QuotaOptions;
  #isFull = false;

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /** Fails with NoSpace if a commit would take more than is left. */
  check(ops: readonly Op[], usage: Usage): void {
    const { bytes } = this.#options;
    const wanted = bytes === 0 ? 0 : bytesOf(ops);
    if (wanted === 0) return;
    if (!this.#isFull && usage.usedAtMost + wanted <= bytes) return;
    const used = usage.countUsed();
    const fits = used + wanted <= bytes;
    if (fits === this.#isFull) this.#tell(used);
    if (!fits) throw new StoreError("NoSpace", this.#message(used));
  }

  #tell(usedBytes: number): void {
    this.#isFull = !this.#isFull;
    this.#options.onFull(this.#isFull, this.#message(usedBytes));
  }

  #message(usedBytes: number): string {
    const { path, bytes } = this.#options;
    return `${path} has ${usedBytes} bytes in use and may have ${bytes}, and nothing was written: delete what is not needed and compact the store, or allow it more`;
  }
}

/** About what puts take on disk. */
function bytesOf(ops: readonly Op[]): number {
  let bytes = 0;
  for (const op of ops) if (op.type === "put") bytes += op.key.length + op.value.length + perRecord;
  return bytes;
}

const perRecord = 40;
