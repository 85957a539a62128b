import type { RecordId } from "./record.ts";

/**
 * The records that nobody can read any more once the revision that superseded them is compacted. They
 * are kept as bare numbers: of a store that is opened there may be a great many.
 */
export class Superseded {
  /** By whom, and which record: three numbers for each, in the order of the first. */
  readonly #numbers: number[] = [];
  /** Where what was not taken yet begins. */
  #next = 0;

  /** Records come in the order of the revisions that supersede them. */
  add(by: number, { revision, ordinal }: RecordId): void {
    this.#numbers.push(by, revision, ordinal);
  }

  /** Takes the records that revisions up to the given one have superseded. */
  *takeUpTo(by: number): Generator<RecordId> {
    for (; (this.#numbers[this.#next] ?? Infinity) <= by; this.#next += 3) {
      const [revision = 0, ordinal = 0] = this.#numbers.slice(this.#next + 1, this.#next + 3);
      yield { revision, ordinal };
    }
    if (this.#next < this.#numbers.length) return;
    this.#numbers.length = 0;
    this.#next = 0;
  }
}
