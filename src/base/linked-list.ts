/** The place of a value in a list. */
export interface Link<T> {
  readonly value: T;
}

interface Node<T> extends Link<T> {
  before: Node<T> | undefined;
  after: Node<T> | undefined;
  isLinked: boolean;
}

/**
 * Values that come and go, in the order in which they came. It replaces a Set or Map whose entries live
 * as long as one request. V8 replaces the table of a busy Set every few entries, and each table that is
 * given up still refers to the next one and to the entries it had. As soon as one of them is in the old
 * generation, all later ones get there with their entries: every request then waits for a full garbage
 * collection. Here nothing refers to a value that was removed.
 */
export class LinkedList<T> {
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;

  get first(): Link<T> | undefined {
    return this.#first;
  }

  add(value: T): Link<T> {
    const node: Node<T> = { value, before: this.#last, after: undefined, isLinked: true };
    if (this.#last) this.#last.after = node;
    else this.#first = node;
    this.#last = node;
    return node;
  }

  /** Does nothing to a value that was removed before. */
  remove(link: Link<T>): void {
    const node = link as Node<T>;
    if (!node.isLinked) return;
    const { before, after } = node;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    node.before = undefined;
    node.after = undefined;
    node.isLinked = false;
  }

  clear(): void {
    for (let link = this.first; link; link = this.first) this.remove(link);
  }

  /** The values that are there now; the list may change while they are gone through. */
  values(): T[] {
    const values: T[] = [];
    for (let node = this.#first; node; node = node.after) values.push(node.value);
    return values;
  }
}
