import type { ApiObject } from "./object.ts";

/**
 * The objects of pending commits, by the byte arrays that are passed to the store. The committer
 * adds them, and the cache of the same server looks here before it decodes an event's bytes.
 */
export class WrittenObjects {
  /** Weak, since a Map keeps entries alive that were deleted (see LinkedList). */
  readonly #objects = new WeakMap<Uint8Array, ApiObject>();

  add(bytes: Uint8Array, object: ApiObject): void {
    this.#objects.set(bytes, object);
  }
  get(bytes: Uint8Array): ApiObject | undefined {
    return this.#objects.get(bytes);
  }
  delete(bytes: Uint8Array): void {
    this.#objects.delete(bytes);
  }
}
