import { Heap } from "./heap.ts";

/** A queue of items to process. An item is queued at most once, and never processed twice at the same time. */
export interface Queue<T> {
  /**
   * Enqueues an item; one that is being processed is processed again afterwards. Items of higher
   * priority are handed out first; the default is 0.
   */
  add(item: T, priority?: number): void;
  /** The next item; undefined when the queue was shut down and is empty. Call `done` after processing. */
  get(): Promise<T | undefined>;
  done(item: T): void;
  /** How many items wait. */
  readonly length: number;
  /** Whether no item waits and none is being processed. */
  readonly idle: boolean;
  readonly shuttingDown: boolean;
  /** Rejects new items; those that wait are still handed out. */
  shutDown(): void;
  /** Shuts down, and resolves when everything handed out is done, or at a later `shutDown`. */
  shutDownWithDrain(): Promise<void>;
}

/** Observes the items of a queue. */
export interface QueueObserver<T> {
  /** An item was enqueued that was not waiting yet. */
  added(item: T): void;
  /** The item was handed out. */
  taken(item: T): void;
  done(item: T): void;
  /** An item will be requeued later. */
  retried(): void;
}

/**
 * Hands out items of higher priority first, and items of the same priority in the order in which they
 * got it: first in, first out by default. A waiting item has the highest priority that it was added
 * with. Items are equal when they are the same key of a Map.
 */
export class WorkQueue<T extends NonNullable<unknown>> implements Queue<T> {
  /** Items that can be handed out: none of them is being processed. */
  readonly #ready = new Heap<Entry<T>>(comesBefore);
  /** Every item that is queued: in `#ready`, or added again while it is processed. */
  readonly #waiting = new Map<T, Entry<T>>();
  /** Every item being processed, with the priority that it was handed out with. */
  readonly #processing = new Map<T, number>();
  /** Callers of `get`; there are none while an item is ready. */
  readonly #takers: ((item: T | undefined) => void)[] = [];
  readonly #drained: (() => void)[] = [];
  readonly #observer: QueueObserver<T> | undefined;
  #count = 0;
  #shuttingDown: boolean = false;

  constructor(observer?: QueueObserver<T>) {
    this.#observer = observer;
  }

  get length(): number {
    return this.#ready.size;
  }

  get idle(): boolean {
    return this.#waiting.size === 0 && this.#processing.size === 0;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** The priority with which an item was handed out that is being processed. */
  priorityOf(item: T): number | undefined {
    return this.#processing.get(item);
  }

  add(item: T, priority = 0): void {
    if (this.#shuttingDown) return;
    const waits = this.#waiting.get(item);
    if (waits) {
      if (priority > waits.priority) this.#raise(waits, priority);
      return;
    }
    const entry = { item, priority, order: this.#count++ };
    this.#waiting.set(item, entry);
    this.#observer?.added(item);
    if (!this.#processing.has(item)) this.#offer(entry);
  }

  get(): Promise<T | undefined> {
    if (this.length > 0 || this.#shuttingDown) return Promise.resolve(this.#take());
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(item: T): void {
    if (this.#processing.delete(item)) this.#observer?.done(item);
    const entry = this.#waiting.get(item);
    if (entry && !this.#ready.has(entry)) this.#offer(entry);
    if (this.#processing.size === 0) this.#endDrain();
  }

  shutDown(): void {
    this.#refuse();
    this.#endDrain();
  }

  shutDownWithDrain(): Promise<void> {
    this.#refuse();
    if (this.#processing.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #raise(entry: Entry<T>, priority: number): void {
    entry.priority = priority;
    // It comes after the items that had this priority before.
    entry.order = this.#count++;
    this.#ready.update(entry);
  }

  #offer(entry: Entry<T>): void {
    this.#ready.push(entry);
    this.#takers.shift()?.(this.#take());
  }

  #take(): T | undefined {
    const entry = this.#ready.pop();
    if (entry === undefined) return undefined;
    const { item, priority } = entry;
    this.#waiting.delete(item);
    this.#processing.set(item, priority);
    this.#observer?.taken(item);
    return item;
  }

  #refuse(): void {
    this.#shuttingDown = true;
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #endDrain(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

interface Entry<T> {
  readonly item: T;
  priority: number;
  order: number;
}

function comesBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.order < b.order);
}
