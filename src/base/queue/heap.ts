/**
 * A binary heap of distinct items that can also be removed or moved from the middle. `before`
 * decides which of two items comes out first; call `update` when its answer for an item changes.
 */
export class Heap<T> {
  readonly #before: (a: T, b: T) => boolean;
  /** No item comes before its parent: the parent of index i is (i - 1) >> 1. */
  readonly #items: T[] = [];
  /** The index of every item in `#items`. */
  readonly #index = new Map<T, number>();

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  has(item: T): boolean {
    return this.#index.has(item);
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Adds an item, or moves it to its new place if it is in the heap already. */
  push(item: T): void {
    const at = this.#index.get(item);
    if (at === undefined) {
      this.#place(item, this.#items.length);
      this.#up(item, this.#items.length - 1);
    } else {
      this.#settle(item, at);
    }
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.delete(first);
    return first;
  }

  /** Restores the order after an item's rank has changed. */
  update(item: T): void {
    const at = this.#index.get(item);
    if (at !== undefined) this.#settle(item, at);
  }

  delete(item: T): boolean {
    const at = this.#index.get(item);
    if (at === undefined) return false;
    this.#index.delete(item);
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#place(last, at);
      this.#settle(last, at);
    }
    return true;
  }

  /** The items in no particular order. */
  values(): IterableIterator<T> {
    return this.#items.values();
  }

  #place(item: T, at: number): void {
    this.#items[at] = item;
    this.#index.set(item, at);
  }

  #settle(item: T, at: number): void {
    this.#down(item, this.#up(item, at));
  }

  #up(item: T, from: number): number {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#items[above] as T;
      if (!this.#before(item, parent)) break;
      this.#place(parent, at);
      at = above;
    }
    if (at !== from) this.#place(item, at);
    return at;
  }

  #down(item: T, from: number): void {
    const { length } = this.#items;
    let at = from;
    for (let child = 2 * at + 1; child < length; child = 2 * at + 1) {
      const right = child + 1;
      if (right < length && this.#before(this.#items[right] as T, this.#items[child] as T)) {
        child = right;
      }
      const below = this.#items[child] as T;
      if (!this.#before(below, item)) break;
      this.#place(below, at);
      at = child;
    }
    if (at !== from) this.#place(item, at);
  }
}
