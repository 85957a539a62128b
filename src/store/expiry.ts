import type { Clock, Timer } from "../base/clock.ts";
import { OrderedMap } from "./ordered-map.ts";

/** A version of a key that expires, unless the key is written before. */
export interface Lease {
  readonly key: string;
  readonly modRevision: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The longest delay of a timer in Node. */
const longestTimer = 0x7fffffff;

/** Reports expired versions; one timer is set for the next of them. */
export class Expiry {
  readonly #clock: Clock;
  readonly #due: (leases: readonly Lease[]) => void;
  /**
   * Leases by time. A lease stays here when its key is written again, and is ignored when it expires.
   */
  readonly #leases: OrderedMap<string, Lease>;
  #timer: Timer | undefined;
  #timerAt = 0;

  constructor(clock: Clock, due: (leases: readonly Lease[]) => void, from?: Expiry) {
    this.#clock = clock;
    this.#due = due;
    this.#leases = from ? from.#leases.snapshot() : new OrderedMap();
    this.#arm();
  }

  add(lease: Lease): void {
    this.#leases.set(place(lease), lease);
    if (this.#timer === undefined || lease.expiresAt < this.#timerAt) this.#arm();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.close();
    const next = this.#leases.firstFrom("");
    if (next === undefined) return;
    this.#timerAt = next.expiresAt;
    const delay = Math.max(0, next.expiresAt - this.#clock.now());
    this.#timer = this.#clock.setTimer(Math.min(delay, longestTimer), () => this.#fire());
  }

  #fire(): void {
    const now = this.#clock.now();
    const due: Lease[] = [];
    this.#leases.forEachFrom("", (lease) => lease.expiresAt <= now && due.push(lease) > 0);
    for (const lease of due) this.#leases.delete(place(lease));
    this.#arm();
    if (due.length > 0) this.#due(due);
  }
}

/** Sorts by time, then by key; the revision distinguishes two leases of one key and time. */
function place(lease: Lease): string {
  const time = String(Math.ceil(lease.expiresAt)).padStart(16, "0");
  return `${time} ${lease.key} ${lease.modRevision}`;
}
