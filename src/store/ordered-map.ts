interface Leaf<K, V> {
  readonly owner: object;
  readonly keys: K[];
  readonly values: V[];
}

interface Branch<K, V> {
  readonly owner: object;
  /** `keys[i]` is not above any key of `children[i]`, and above every key of `children[i - 1]`. */
  readonly keys: K[];
  readonly children: Node<K, V>[];
  size: number;
}

type Node<K, V> = Leaf<K, V> | Branch<K, V>;

const capacity = 32;

/**
 * An ordered map whose copy costs nothing: a B+ tree whose nodes are shared until they are written.
 *
 * A node belongs to the map whose owner token it carries, and only that map may change it in place;
 * every other map copies it first. `snapshot` gives both maps new tokens, so that from then on each
 * copies what it writes, once:
 *
 *     a owns [1 2][3 4]   b = a.snapshot()   a.set(3, x) copies the root and [3 4]; [1 2] is shared
 */
export class OrderedMap<K extends string | number, V> {
  #owner: object = {};
  #root: Node<K, V>;

  constructor() {
    this.#root = { owner: this.#owner, keys: [], values: [] };
  }

  /** Builds a map from values whose keys are sorted and unique. */
  static fromSorted<K extends string | number, V>(
    keys: readonly K[],
    values: readonly V[],
  ): OrderedMap<K, V> {
    const map = new OrderedMap<K, V>();
    const owner = map.#owner;
    let level: Node<K, V>[] = parts(keys.length).map(([start, end]) => ({
      owner,
      keys: keys.slice(start, end),
      values: values.slice(start, end),
    }));
    while (level.length > 1) {
      level = parts(level.length).map(([start, end]) => {
        const children = level.slice(start, end);
        const size = children.reduce((sum, child) => sum + sizeOf(child), 0);
        return { owner, keys: children.map(firstKey), children, size };
      });
    }
    map.#root = level[0] ?? map.#root;
    return map;
  }

  get size(): number {
    return sizeOf(this.#root);
  }

  get(key: K): V | undefined {
    let node = this.#root;
    while (isBranch(node)) node = childAt(node, childIndex(node.keys, key));
    const index = lowerBound(node.keys, key);
    return node.keys[index] === key ? node.values[index] : undefined;
  }

  /** Returns the value with the least key that is not below the given one. */
  firstFrom(key: K): V | undefined {
    let first: V | undefined;
    this.forEachFrom(key, (value) => {
      first = value;
      return false;
    });
    return first;
  }

  set(key: K, value: V): void {
    const root = this.#own(this.#root);
    const split = this.#insert(root, key, value);
    this.#root =
      split === undefined
        ? root
        : {
            owner: this.#owner,
            keys: [firstKey(root), firstKey(split)],
            children: [root, split],
            size: sizeOf(root) + sizeOf(split),
          };
  }

  delete(key: K): void {
    if (this.get(key) === undefined) return;
    const root = this.#own(this.#root);
    this.#remove(root, key);
    this.#root = collapse(root);
  }

  /** Removes every key below the given one. */
  deleteBefore(key: K): void {
    const root = this.#own(this.#root);
    this.#trim(root, key);
    this.#root = collapse(root);
  }

  /** Counts the keys below the given one. */
  countBefore(key: K): number {
    let count = 0;
    let node = this.#root;
    while (isBranch(node)) {
      const index = childIndex(node.keys, key);
      for (let i = 0; i < index; i++) count += sizeOf(childAt(node, i));
      node = childAt(node, index);
    }
    return count + lowerBound(node.keys, key);
  }

  /** Visits values in key order until `visit` returns false; the map must not be written meanwhile. */
  forEachFrom(key: K, visit: (value: V) => boolean): void {
    visitFrom(this.#root, key, visit);
  }

  /** Returns an independent copy, in constant time. */
  snapshot(): OrderedMap<K, V> {
    const copy = new OrderedMap<K, V>();
    copy.#root = this.#root;
    this.#owner = {};
    return copy;
  }

  #own(node: Node<K, V>): Node<K, V> {
    const owner = this.#owner;
    if (node.owner === owner) return node;
    const keys = node.keys.slice();
    return isBranch(node)
      ? { owner, keys, children: node.children.slice(), size: node.size }
      : { owner, keys, values: node.values.slice() };
  }

  #ownChild(branch: Branch<K, V>, index: number): Node<K, V> {
    const child = this.#own(childAt(branch, index));
    branch.children[index] = child;
    return child;
  }

  /** Writes into an owned node; returns the right half if the node was split. */
  #insert(node: Node<K, V>, key: K, value: V): Node<K, V> | undefined {
    if (!isBranch(node)) {
      const index = lowerBound(node.keys, key);
      if (node.keys[index] === key) {
        node.values[index] = value;
        return undefined;
      }
      insertAt(node.keys, index, key);
      insertAt(node.values, index, value);
      return this.#splitIfFull(node, index);
    }
    const index = childIndex(node.keys, key);
    if (index === 0 && key < firstKey(node)) node.keys[0] = key;
    const child = this.#ownChild(node, index);
    const before = sizeOf(child);
    const split = this.#insert(child, key, value);
    node.size += sizeOf(child) - before;
    if (split === undefined) return undefined;
    node.size += sizeOf(split);
    insertAt(node.keys, index + 1, firstKey(split));
    insertAt(node.children, index + 1, split);
    return this.#splitIfFull(node, index + 1);
  }

  /** Splits in the middle, or at the end if the map grows there: such nodes stay full. */
  #splitIfFull(node: Node<K, V>, written: number): Node<K, V> | undefined {
    const count = node.keys.length;
    if (count <= capacity) return undefined;
    const at = written === count - 1 ? written : count >> 1;
    const keys = node.keys.splice(at);
    if (!isBranch(node)) return { owner: this.#owner, keys, values: node.values.splice(at) };
    const children = node.children.splice(at);
    const size = children.reduce((sum, child) => sum + sizeOf(child), 0);
    node.size -= size;
    return { owner: this.#owner, keys, children, size };
  }

  #remove(node: Node<K, V>, key: K): void {
    if (!isBranch(node)) {
      const index = lowerBound(node.keys, key);
      node.keys.splice(index, 1);
      node.values.splice(index, 1);
      return;
    }
    const index = childIndex(node.keys, key);
    const child = this.#ownChild(node, index);
    this.#remove(child, key);
    node.size--;
    if (child.keys.length === 0) dropChildren(node, index, 1);
    else if (child.keys.length < capacity >> 2) this.#mergeAround(node, index);
  }

  /** Joins a small child with a neighbour if both fit into one node with room to spare. */
  #mergeAround(node: Branch<K, V>, index: number): void {
    const left = index > 0 ? index - 1 : 0;
    const right = node.children[left + 1];
    if (right === undefined) return;
    if (childAt(node, left).keys.length + right.keys.length > capacity >> 1) return;
    const target = this.#ownChild(node, left);
    if (isBranch(target) && isBranch(right)) {
      target.keys.push(...right.keys);
      target.children.push(...right.children);
      target.size += right.size;
    } else if (!isBranch(target) && !isBranch(right)) {
      target.keys.push(...right.keys);
      target.values.push(...right.values);
    }
    dropChildren(node, left + 1, 1);
  }

  #trim(node: Node<K, V>, key: K): void {
    if (!isBranch(node)) {
      const count = lowerBound(node.keys, key);
      node.keys.splice(0, count);
      node.values.splice(0, count);
      return;
    }
    dropChildren(node, 0, childIndex(node.keys, key));
    const child = this.#ownChild(node, 0);
    this.#trim(child, key);
    if (child.keys.length === 0) dropChildren(node, 0, 1);
    node.size = node.children.reduce((sum, each) => sum + sizeOf(each), 0);
  }
}

/** Divides keys into nodes, with room in each for later keys. */
function parts(count: number): [start: number, end: number][] {
  const nodes = Math.ceil(count / (capacity - (capacity >> 2)));
  return Array.from({ length: nodes }, (_, n) => [
    Math.floor((count * n) / nodes),
    Math.floor((count * (n + 1)) / nodes),
  ]);
}

function isBranch<K, V>(node: Node<K, V>): node is Branch<K, V> {
  return "children" in node;
}

function sizeOf<K, V>(node: Node<K, V>): number {
  return isBranch(node) ? node.size : node.keys.length;
}

function childAt<K, V>(branch: Branch<K, V>, index: number): Node<K, V> {
  return branch.children[index] as Node<K, V>;
}

function firstKey<K, V>(node: Node<K, V>): K {
  return node.keys[0] as K;
}

function dropChildren<K, V>(branch: Branch<K, V>, index: number, count: number): void {
  branch.keys.splice(index, count);
  branch.children.splice(index, count);
}

/** A branch with one child is that child; a branch with none is an empty leaf. */
function collapse<K, V>(root: Node<K, V>): Node<K, V> {
  let node = root;
  while (isBranch(node) && node.children.length <= 1) {
    node = node.children[0] ?? { owner: node.owner, keys: [], values: [] };
  }
  return node;
}

/** Like splice, without allocating an array of removed items. */
function insertAt<T>(all: T[], index: number, one: T): void {
  if (index === all.length) all.push(one);
  else all.splice(index, 0, one);
}

/** The first index whose key is not below the given one. */
function lowerBound<K>(keys: readonly K[], key: K): number {
  let low = 0;
  let high = keys.length;
  // Fast path: revisions, and most keys of a restored store, arrive in order.
  if (high > 0 && (keys[high - 1] as K) < key) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as K) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the child that holds the key, if any does. */
function childIndex<K>(keys: readonly K[], key: K): number {
  const index = lowerBound(keys, key);
  if (index < keys.length && keys[index] === key) return index;
  return index === 0 ? 0 : index - 1;
}

function visitFrom<K, V>(
  node: Node<K, V>,
  key: K | undefined,
  visit: (value: V) => boolean,
): boolean {
  if (!isBranch(node)) {
    let index = key === undefined ? 0 : lowerBound(node.keys, key);
    for (; index < node.values.length; index++) {
      if (!visit(node.values[index] as V)) return false;
    }
    return true;
  }
  const start = key === undefined ? 0 : childIndex(node.keys, key);
  for (let index = start; index < node.children.length; index++) {
    if (!visitFrom(childAt(node, index), index === start ? key : undefined, visit)) return false;
  }
  return true;
}
