import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import type { Stored } from "../objects/stored.ts";

/** Objects by key. Their order is found out when it is asked for, once for all who share them. */
export class SortedObjects {
  readonly #objects: Map<string, Stored>;
  /** In order; undefined until it is needed again. */
  #keys: readonly string[] | undefined;
  /** All objects in order; undefined until they are needed again. */
  #all: readonly Stored[] | undefined;

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
    this.#all = undefined;
    if (this.#objects.size !== size) this.#keys = undefined;
  }

  delete(key: string): void {
    this.#objects.delete(key);
    this.#keys = undefined;
    this.#all = undefined;
  }

  /** The same objects, which change by themselves. */
  copy(): SortedObjects {
    return new SortedObjects(this.#objects, this.#keys);
  }

  /** The objects whose key starts with the prefix, in order of their keys. */
  list(prefix: string): readonly Stored[] {
    this.#keys ??= [...this.#objects.keys()].sort(compareUtf8);
    const keys = this.#keys;
    // What is between two that start with it does so, too.
    if (keys[0]?.startsWith(prefix) && keys.at(-1)?.startsWith(prefix)) {
      this.#all ??= keys.map((key) => this.#objects.get(key) as Stored);
      return this.#all;
    }
    const found: Stored[] = [];
    for (let i = lowerBound(keys, prefix); i < keys.length; i++) {
      const key = keys[i] as string;
      if (!key.startsWith(prefix)) break;
      found.push(this.#objects.get(key) as Stored);
    }
    return found;
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareUtf8(keys[middle] as string, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
