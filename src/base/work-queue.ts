/** A queue of items to work on, where an item that waits or is worked on is never there twice. */
export interface Queue<T> {
  /**
   * Asks for an item to be worked on; while it is being worked on, once more afterwards. A queue that
   * knows priorities hands out higher ones first; 0 if not given.
   */
  add(item: T, priority?: number): void;
  /** The next item, or undefined when the queue was shut down and is empty. Call `done` afterwards. */
  get(): Promise<T | undefined>;
  done(item: T): void;
  /** How many items wait. */
  readonly length: number;
  /** Whether nothing waits and nothing is being worked on. */
  readonly idle: boolean;
  readonly shuttingDown: boolean;
  /** Takes no more items; what waits is still handed out. */
  shutDown(): void;
  /** Shuts down, and resolves when everything handed out is done, or at a later `shutDown`. */
  shutDownWithDrain(): Promise<void>;
}

/** Who is told how the items of a queue fare. */
export interface QueueObserver<T> {
  /** An item is to be worked on which did not wait for that already. */
  added(item: T): void;
  /** It is handed out. */
  taken(item: T): void;
  done(item: T): void;
  /** It is to come back later. */
  retried(): void;
}

/** A first-in, first-out queue; items are the same when they are the same key of a Set. */
export class WorkQueue<T extends NonNullable<unknown>> implements Queue<T> {
  /** The order of work: every item in it is in `#dirty` and not in `#processing`. */
  #order: T[] = [];
  /** How many items at the front of `#order` are gone already. */
  #taken = 0;
  /** Every item that needs work. */
  readonly #dirty = new Set<T>();
  /** Every item being worked on; one that is also dirty goes into `#order` when it is done. */
  readonly #processing = new Set<T>();
  /** Callers of `get`; there are none while an item waits. */
  readonly #takers: ((item: T | undefined) => void)[] = [];
  readonly #drained: (() => void)[] = [];
  readonly #observer: QueueObserver<T> | undefined;
  #shuttingDown: boolean = false;

  constructor(observer?: QueueObserver<T>) {
    this.#observer = observer;
  }

  get length(): number {
    return this.#order.length - this.#taken;
  }

  get idle(): boolean {
    return this.#dirty.size === 0 && this.#processing.size === 0;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(item: T): void {
    if (this.#shuttingDown || this.#dirty.has(item)) return;
    this.#dirty.add(item);
    this.#observer?.added(item);
    if (!this.#processing.has(item)) this.#enqueue(item);
  }

  get(): Promise<T | undefined> {
    if (this.length > 0 || this.#shuttingDown) return Promise.resolve(this.#take());
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(item: T): void {
    if (this.#processing.delete(item)) this.#observer?.done(item);
    if (this.#dirty.has(item)) this.#enqueue(item);
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

  #enqueue(item: T): void {
    this.#order.push(item);
    this.#takers.shift()?.(this.#take());
  }

  #take(): T | undefined {
    const item = this.#order[this.#taken];
    if (item === undefined) return undefined;
    this.#taken++;
    if (this.#taken * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#taken);
      this.#taken = 0;
    }
    this.#dirty.delete(item);
    this.#processing.add(item);
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
