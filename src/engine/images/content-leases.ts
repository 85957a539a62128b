/**
 * Protects blobs and layers that work in progress relies on, but no image names yet, from being removed.
 * Keys are digests.
 */
export class ContentLeases {
  readonly #held = new Map<string, number>();
  /** Removals under way: a lease waits for the one of its key, and then finds the content missing. */
  readonly #removals = new Map<string, Promise<void>>();

  /** Starts a lease; `end` releases all that was added to it. */
  start(): ContentLease {
    const keys = new Set<string>();
    let isEnded = false;
    return {
      keys,
      add: async (key) => {
        if (!keys.has(key)) {
          keys.add(key);
          this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
        }
        await this.#removals.get(key);
      },
      end: () => {
        if (isEnded) return;
        isEnded = true;
        for (const key of keys) {
          const count = (this.#held.get(key) ?? 1) - 1;
          if (count === 0) this.#held.delete(key);
          else this.#held.set(key, count);
        }
      },
    };
  }

  /** Removes content unless it is held; resolves with whether it was removed. */
  async remove(key: string, remove: () => Promise<void>): Promise<boolean> {
    if (this.#held.has(key)) return false;
    const removal = remove();
    const done = removal.then(ignore, ignore).then(() => void this.#removals.delete(key));
    this.#removals.set(key, done);
    await removal;
    return true;
  }
}

export interface ContentLease {
  /** What was added so far. */
  readonly keys: ReadonlySet<string>;
  /** Holds content from now on; resolves when a removal that had already begun is over. */
  add(key: string): Promise<void>;
  end(): void;
}

const ignore = (): void => undefined;
