import { MemoryStore } from "../../../store/memory/memory-store.ts";
import type { CommitOutcome, Op } from "../../../store/store.ts";

/** A store whose commits wait while its gate is shut. */
export class GatedStore extends MemoryStore {
  #gate: Promise<void> | undefined;
  #opened: () => void = () => {};
  #waiting = 0;
  readonly #arrivals = new Set<() => void>();

  shut(): void {
    this.#gate = new Promise((resolve) => {
      this.#opened = resolve;
    });
  }

  open(): void {
    this.#gate = undefined;
    this.#opened();
  }

  /** Resolves when so many commits wait. */
  async waiting(count: number): Promise<void> {
    while (this.#waiting < count)
      await new Promise<void>((resolve) => {
        this.#arrivals.add(resolve);
      });
  }

  override async commit(ops: readonly Op[]): Promise<CommitOutcome> {
    if (this.#gate !== undefined) {
      this.#waiting++;
      for (const arrived of this.#arrivals) arrived();
      this.#arrivals.clear();
      await this.#gate;
      this.#waiting--;
    }
    return super.commit(ops);
  }
}
