/** The clients that are attached to containers, so that they can be ended. */
export class Attachments {
  readonly #ends = new Map<string, AbortController>();

  /** A signal that is aborted when the attachments of a container are ended. */
  add(id: string): AbortSignal {
    const end = this.#ends.get(id) ?? new AbortController();
    this.#ends.set(id, end);
    return end.signal;
  }

  end(id: string): void {
    this.#ends.get(id)?.abort();
  }

  forget(id: string): void {
    this.#ends.delete(id);
  }
}
