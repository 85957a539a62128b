import type { Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Store, StoreError } from "../../store/store.ts";
import type { Environment } from "./environment.ts";
import type { ObjectReader } from "./reader.ts";

const defaultInterval = 5 * 60_000;

interface CompactorParts {
  readonly reader: ObjectReader;
  readonly environment: Pick<Environment, "clock">;
}

/**
 * Compacts the history of the store. Each round compacts to the revision that was current at the
 * round before; without writes there is no round.
 */
export class Compactor {
  readonly #parts: CompactorParts;
  readonly #log: Log;
  readonly #interval: number;
  #timer: Timer | undefined;
  #seen: number;
  #compacted = 0;

  /** An interval of 0 disables compaction. */
  constructor(parts: CompactorParts, log: Log, interval: number = defaultInterval) {
    this.#parts = parts;
    this.#log = log;
    this.#interval = interval;
    this.#seen = parts.reader.cache.revision;
    if (interval === 0) return;
    parts.reader.cache.onChange = () => this.#schedule();
    this.#schedule();
  }

  /** Continues on a fork from the state of the parent's compactor. */
  resume(from: Compactor): void {
    this.#seen = from.#seen;
    this.#compacted = from.#compacted;
  }

  close(): void {
    this.#timer?.cancel();
    this.#parts.reader.cache.onChange = undefined;
  }

  #schedule(): void {
    this.#timer ??= this.#parts.environment.clock.setTimer(this.#interval, () => {
      this.#timer = undefined;
      this.#round().catch((error: unknown) => this.#log.error("compaction failed", error));
    });
  }

  async #round(): Promise<void> {
    const target = this.#seen;
    this.#seen = this.#parts.reader.cache.revision;
    if (target > this.#compacted) {
      await compactTo(this.#parts.reader.store, target);
      this.#compacted = target;
    }
    if (this.#seen > this.#compacted) this.#schedule();
  }
}

/** Compacts a store, which another server may have compacted further already. */
export async function compactTo(store: Store, revision: number): Promise<void> {
  try {
    await store.compact(revision);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "Compacted")) throw error;
  }
}
