import type { Clock, Timer } from "./clock.ts";
import { Heap } from "./queue/heap.ts";

export interface VirtualClockOptions {
  /**
   * Awaited after every timer, so that the work it started settles before the next one fires. The
   * default lets a bounded number of microtasks pass; with real input and output, pass a function that
   * also waits for those.
   */
  readonly settle?: () => Promise<void>;
}

/** A clock that stands still until it is advanced. */
export class VirtualClock implements Clock {
  readonly #settle: () => Promise<void>;
  /** Every timer neither fired nor cancelled; none is due before `#now`. */
  readonly #timers = new Heap<VirtualTimer>(comesBefore);
  #now: number;
  #set = 0;
  #advancing: boolean = false;

  constructor(start = 0, options: VirtualClockOptions = {}) {
    this.#now = start;
    this.#settle = options.settle ?? passMicrotasks;
  }

  now(): number {
    return this.#now;
  }

  setTimer(ms: number, fire: () => void): Timer {
    const timer = { due: this.#now + Math.max(0, ms), order: this.#set++, fire };
    this.#timers.push(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer fires, in milliseconds since the epoch. */
  nextTimer(): number | undefined {
    return this.#timers.peek()?.due;
  }

  /**
   * Advances time by `ms` and fires the timers that become due, each at its own time: earlier timers
   * first, and of two at the same time the one that was set first.
   */
  async advance(ms: number): Promise<void> {
    if (this.#advancing) throw new Error("the virtual clock is advancing already");
    this.#advancing = true;
    try {
      await this.#advanceTo(this.#now + ms);
    } finally {
      this.#advancing = false;
    }
  }

  /** A clock with the same time and no timers: their owners start again. */
  fork(): VirtualClock {
    return new VirtualClock(this.#now, { settle: this.#settle });
  }

  async #advanceTo(end: number): Promise<void> {
    await this.#settle();
    for (let next = this.#timers.peek(); next && next.due <= end; next = this.#timers.peek()) {
      this.#timers.delete(next);
      this.#now = next.due;
      next.fire();
      await this.#settle();
    }
    this.#now = end;
  }
}

interface VirtualTimer {
  readonly due: number;
  readonly order: number;
  readonly fire: () => void;
}

function comesBefore(a: VirtualTimer, b: VirtualTimer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

/** Long enough for the longest chain of awaits that one timer starts in this code base. */
const microtasks = 100;

async function passMicrotasks(): Promise<void> {
  for (let i = 0; i < microtasks; i++) await undefined;
}
