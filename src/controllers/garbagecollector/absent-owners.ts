import { type ObjectReference, referenceKey } from "./object-reference.ts";

/** A cache of owners that do not exist, so that the server is not asked again. */
export class AbsentOwners {
  /** In the order of their last use: the first is evicted first. */
  readonly #keys = new Set<string>();
  readonly #most: number;

  constructor(most = 500) {
    this.#most = most;
  }

  add(owner: ObjectReference): void {
    const key = referenceKey(owner);
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.#most) return;
    const [oldest = ""] = this.#keys;
    this.#keys.delete(oldest);
  }

  has(owner: ObjectReference): boolean {
    const key = referenceKey(owner);
    if (!this.#keys.delete(key)) return false;
    this.#keys.add(key);
    return true;
  }
}
