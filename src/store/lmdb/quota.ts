import { type Op, StoreError } from "../store.ts";

/** The maximum that etcd's documentation recommends. */
export const defaultQuotaBytes: number = 8 * 2 ** 30;

/** Called when a store becomes full, and when it accepts writes again. */
export type OnFull = (full: boolean, message: string) => void;

export interface QuotaOptions {
  readonly path: string;
  /** The maximum of used bytes; 0: unlimited. */
  readonly bytes: number;
  readonly onFull: OnFull;
}

/** The disk usage of a store. */
interface Usage {
  /** An upper bound that needs no count. */
  readonly usedAtMost: number;
  countUsed(): number;
}

/**
 * Limits the size of a store. As in etcd, puts are then rejected and deletions accepted. Only used pages
 * count: LMDB reuses the pages that a compaction frees.
 */
export class Quota {
  readonly #options: QuotaOptions;
  #isFull = false;

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /** Throws NoSpace if a commit would exceed the limit. */
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

/** Estimates the disk space of puts. */
function bytesOf(ops: readonly Op[]): number {
  let bytes = 0;
  for (const op of ops) if (op.type === "put") bytes += op.key.length + op.value.length + perRecord;
  return bytes;
}

const perRecord = 40;
