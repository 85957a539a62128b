/** Whether an item comes before another. */
type Less<T> = (a: T, b: T) => boolean;

/**
 * Sorts as Go's `sort.Sort` does, by a quicksort that defeats patterns: equal items are left in an order
 * that is not the one they had, but always the same, so that scripts see it.
 */
export function goSorted<T>(items: readonly T[], less: Less<T>): T[] {
  const sorter = new Sorter(items, less);
  sorter.sort(0, items.length, bitLength(items.length));
  return sorter.items;
}

const shortList = 12;
const longList = 50;

/** Ranges begin at `from` and end before `to`. */
class Sorter<T> {
  readonly items: T[];
  readonly #less: Less<T>;

  constructor(items: readonly T[], less: Less<T>) {
    this.items = [...items];
    this.#less = less;
  }

  /** `attempts` is how many bad pivots are allowed. */
  sort(from: number, to: number, attempts: number): void {
    let [start, end, left] = [from, to, attempts];
    let wasBalanced = true;
    let wasPartitioned = true;
    while (end - start > shortList) {
      if (left === 0) {
        this.#sortByHeap(start, end);
        return;
      }
      if (!wasBalanced) {
        this.#scatter(start, end);
        left--;
      }
      let { pivot, order } = this.#choosePivot(start, end);
      if (order === "decreasing") {
        this.#reverse(start, end);
        pivot = start + end - 1 - pivot;
      }
      const looksSorted = wasBalanced && wasPartitioned && order !== "unknown";
      if (looksSorted && this.#finish(start, end)) return;
      if (start > 0 && !this.#isLess(start - 1, pivot)) {
        start = this.#skipEqual(start, end, pivot);
        continue;
      }
      const length = end - start;
      const middle = this.#partition(start, end, pivot);
      wasPartitioned = middle.wasPartitioned;
      const [before, after] = [middle.at - start, end - middle.at];
      wasBalanced = Math.min(before, after) >= Math.floor(length / 8);
      if (before < after) {
        this.sort(start, middle.at, left);
        start = middle.at + 1;
      } else {
        this.sort(middle.at + 1, end, left);
        end = middle.at;
      }
    }
    this.#insert(start, end);
  }

  #isLess(a: number, b: number): boolean {
    return this.#less(this.items[a] as T, this.items[b] as T);
  }

  #swap(a: number, b: number): void {
    const item = this.items[a] as T;
    this.items[a] = this.items[b] as T;
    this.items[b] = item;
  }

  #insert(from: number, to: number): void {
    for (let i = from + 1; i < to; i++) this.#shiftLeft(i, from);
  }

  /** Moves an item to the left, as long as it is less. */
  #shiftLeft(at: number, from: number): void {
    for (let j = at; j > from && this.#isLess(j, j - 1); j--) this.#swap(j, j - 1);
  }

  /** Puts items less than the pivot before it, and all others after it. */
  #partition(from: number, to: number, pivot: number): { at: number; wasPartitioned: boolean } {
    this.#swap(from, pivot);
    let [i, j] = [from + 1, to - 1];
    for (let swaps = 0; ; swaps++) {
      while (i <= j && this.#isLess(i, from)) i++;
      while (i <= j && !this.#isLess(j, from)) j--;
      if (i > j) {
        this.#swap(j, from);
        return { at: j, wasPartitioned: swaps === 0 };
      }
      this.#swap(i++, j--);
    }
  }

  /** Puts items equal to the pivot, than which none is less, first; returns where greater ones begin. */
  #skipEqual(from: number, to: number, pivot: number): number {
    this.#swap(from, pivot);
    let [i, j] = [from + 1, to - 1];
    for (;;) {
      while (i <= j && !this.#isLess(from, i)) i++;
      while (i <= j && this.#isLess(from, j)) j--;
      if (i > j) return i;
      this.#swap(i++, j--);
    }
  }

  /** Sorts what is nearly sorted; false if it is not. */
  #finish(from: number, to: number): boolean {
    let i = from + 1;
    for (let steps = 0; steps < 5; steps++) {
      while (i < to && !this.#isLess(i, i - 1)) i++;
      if (i === to) return true;
      if (to - from < longList) return false;
      this.#swap(i, i - 1);
      if (i - from >= 2) this.#shiftLeft(i - 1, 0);
      if (to - i < 2) continue;
      for (let j = i + 1; j < to && this.#isLess(j, j - 1); j++) this.#swap(j, j - 1);
    }
    return false;
  }

  /** Exchanges three items around the middle with others, chosen by the length alone. */
  #scatter(from: number, to: number): void {
    const length = to - from;
    const mask = 2n ** BigInt(bitLength(length)) - 1n;
    const middle = from + Math.floor(length / 4) * 2;
    let random = BigInt(length);
    for (let at = middle - 1; at <= middle + 1; at++) {
      random = nextRandom(random);
      const other = Number(random & mask);
      this.#swap(at, from + (other >= length ? other - length : other));
    }
  }

  #choosePivot(from: number, to: number) {
    const length = to - from;
    const quarter = Math.floor(length / 4);
    let swaps = 0;
    const ordered = (a: number, b: number): readonly [number, number] => {
      if (!this.#isLess(b, a)) return [a, b];
      swaps++;
      return [b, a];
    };
    const median = (a: number, b: number, c: number): number => {
      const [first, second] = ordered(a, b);
      const [third] = ordered(second, c);
      return ordered(first, third)[1];
    };
    const quarters = [1, 2, 3].map((count) => {
      const at = from + quarter * count;
      return length >= longList ? median(at - 1, at, at + 1) : at;
    });
    const [a = 0, b = 0, c = 0] = quarters;
    const pivot = median(a, b, c);
    const order = swaps === 0 ? "increasing" : swaps === 12 ? "decreasing" : "unknown";
    return { pivot, order } as const;
  }

  #reverse(from: number, to: number): void {
    for (let [i, j] = [from, to - 1]; i < j; ) this.#swap(i++, j--);
  }

  #sortByHeap(from: number, to: number): void {
    const length = to - from;
    for (let root = Math.floor((length - 1) / 2); root >= 0; root--)
      this.#siftDown(root, length, from);
    for (let last = length - 1; last >= 0; last--) {
      this.#swap(from, from + last);
      this.#siftDown(0, last, from);
    }
  }

  #siftDown(top: number, length: number, from: number): void {
    let root = top;
    for (;;) {
      let child = 2 * root + 1;
      if (child >= length) return;
      if (child + 1 < length && this.#isLess(from + child, from + child + 1)) child++;
      if (!this.#isLess(from + root, from + child)) return;
      this.#swap(from + root, from + child);
      root = child;
    }
  }
}

const bitLength = (value: number): number => (value === 0 ? 0 : Math.floor(Math.log2(value)) + 1);

/** The next number of a xorshift of 64 bits. */
function nextRandom(value: bigint): bigint {
  let next = value;
  next ^= BigInt.asUintN(64, next << 13n);
  next ^= next >> 7n;
  return next ^ BigInt.asUintN(64, next << 17n);
}
