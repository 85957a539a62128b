/** Runs work one at a time for each key, in the order of the calls. */
export class KeyedLock {
  /** The end of the last work of each key that has some. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? work() : before.then(work);
    const done = result.then(ignore, ignore).then(() => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    });
    this.#last.set(key, done);
    return result;
  }

  /** Resolves when no work is left, of any key. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}

const ignore = (): void => {};
