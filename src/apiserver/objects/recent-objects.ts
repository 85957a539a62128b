import type { ApiObject } from "./object.ts";
import type { Stored } from "./stored.ts";

const maxObjects = 1024;
/** The encoded size above which an object is not kept, so that the memory is bounded. */
const maxBytes = 32 * 1024;

/**
 * The objects that were updated last, which are likely updated again soon: they need not be decoded
 * then. When there are too many, the oldest are decoded again on next use.
 */
export class RecentObjects {
  readonly #ring: Stored[] = [];
  #oldest = 0;

  /** The object that is stored, which is kept for the next caller. */
  read(stored: Stored): ApiObject {
    if (stored.size > maxBytes) return stored.object;
    if (!stored.isKept) this.#add(stored);
    return stored.keep();
  }

  #add(stored: Stored): void {
    this.#ring[this.#oldest]?.forget();
    this.#ring[this.#oldest] = stored;
    this.#oldest = (this.#oldest + 1) % maxObjects;
  }
}
