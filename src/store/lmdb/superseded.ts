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
    while (this.#by(this.#next) <= by) {
      const id = this.#id(this.#next);
      this.#next += 3;
      yield id;
    }
    if (this.#next < this.#numbers.length) return;
    this.#numbers.length = 0;
    this.#next = 0;
  }

  /** Those that revisions after the given one have superseded, which stay. */
  *after(by: number): Generator<RecordId> {
    let at = this.#next;
    while (this.#by(at) <= by) at += 3;
    for (; at < this.#numbers.length; at += 3) yield this.#id(at);
  }

  #by(at: number): number {
    return this.#numbers[at] ?? Number.POSITIVE_INFINITY;
  }

  #id(at: number): RecordId {
    return { revision: this.#numbers[at + 1] ?? 0, ordinal: this.#numbers[at + 2] ?? 0 };
  }
}
