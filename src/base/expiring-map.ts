import type { Clock } from "./clock.ts";

/** A map whose entries expire. When it is full, the oldest entries are evicted. */
export class ExpiringMap<K, V> {
  readonly #clock: Clock;
  readonly #capacity: number;
  /** In the order in which they were set. */
  readonly #entries = new Map<K, { readonly value: V; readonly until: number }>();

  constructor({ clock, capacity }: { readonly clock: Clock; readonly capacity: number }) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry && entry.until > this.#clock.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: K, value: V, ms: number): void {
    this.#entries.delete(key);
    if (ms <= 0) return;
    this.#entries.set(key, { value, until: this.#clock.now() + ms });
    for (const first of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) break;
      this.#entries.delete(first);
    }
  }
}
