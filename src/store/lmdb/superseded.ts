import type { RecordId } from "./record.ts";

/**
 * The records that become unreadable once the revision that superseded them is compacted. They are
 * stored as plain numbers, because a store may have very many when it is opened.
 */
export class Superseded {
  /** The superseding revision and the record: three numbers each, ordered by the first. */
  readonly #numbers: number[] = [];
  /** The index of the first record that was not taken. */
  #next = 0;

  /** Records must be added in the order of the revisions that supersede them. */
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

  /** Lists those superseded by revisions after the given one, without taking them. */
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
