import type { Clock, Timer } from "../base/clock.ts";
import { OrderedMap } from "./ordered-map.ts";

/** A key's version that is to go at a time, unless the key is written before. */
export interface Lease {
  readonly key: string;
  readonly modRevision: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The longest delay that timers are sure to keep. */
const longestTimer = 0x7fffffff;

/** Says which versions are due, with one timer for the next of them. */
export class Expiry {
  readonly #clock: Clock;
  readonly #due: (leases: readonly Lease[]) => void;
  /** Leases by time; one whose key was written since is still here, and found stale when due. */
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

/** Sorts by time, then by key; the revision keeps two leases of one key and time apart. */
function place(lease: Lease): string {
  const time = String(Math.ceil(lease.expiresAt)).padStart(16, "0");
  return `${time} ${lease.key} ${lease.modRevision}`;
}
