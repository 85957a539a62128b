import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import type { Stored } from "../objects/stored.ts";

/** Objects by key. They are sorted on first use, once for all caches that share them. */
export class SortedObjects {
  readonly #objects: Map<string, Stored>;
  /** In order; undefined until it is needed again. */
  #keys: readonly string[] | undefined;
  /** The lists since the last change, by prefix, for the next page and the next reader. */
  readonly #lists = new Map<string, readonly Stored[]>();

  constructor(objects: Iterable<[string, Stored]> = [], keys?: readonly string[]) {
    this.#objects = new Map(objects);
    this.#keys = keys;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): Stored | undefined {
    return this.#objects.get(key);
  }

  set(object: Stored): void {
    const { size } = this.#objects;
    this.#objects.set(object.key, object);
    this.#lists.clear();
    if (this.#objects.size !== size) this.#keys = undefined;
  }

  delete(key: string): void {
    this.#objects.delete(key);
    this.#keys = undefined;
    this.#lists.clear();
  }

  /** A copy, which changes independently. */
  copy(): SortedObjects {
    return new SortedObjects(this.#objects, this.#keys);
  }

  /** The objects whose key starts with the prefix, in order of their keys. */
  list(prefix: string): readonly Stored[] {
    let found = this.#lists.get(prefix);
    if (!found) {
      found = this.#find(prefix);
      // Clients can list any number of prefixes that hold no objects.
      if (found.length > 0) this.#lists.set(prefix, found);
    }
    return found;
  }

  #find(prefix: string): readonly Stored[] {
    this.#keys ??= [...this.#objects.keys()].sort(compareUtf8);
    const keys = this.#keys;
    const found: Stored[] = [];
    for (let i = firstIndex(keys, (key) => compareUtf8(key, prefix) >= 0); i < keys.length; i++) {
      const key = keys[i] as string;
      if (!key.startsWith(prefix)) break;
      found.push(this.#objects.get(key) as Stored);
    }
    return found;
  }
}

/** The index of the first of some sorted objects whose key comes after another. */
export const indexAfter = (objects: readonly Stored[], key: string): number =>
  firstIndex(objects, (object) => compareUtf8(object.key, key) > 0);

/** The first index from which on a condition holds. */
function firstIndex<T>(values: readonly T[], holds: (value: T) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(values[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
