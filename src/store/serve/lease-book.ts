import { type Clock, type Timer, ticksOf } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { StoreView, Transactor } from "../transactor.ts";
import { attachments, leaseOf } from "./attachment.ts";
import { Draft } from "./draft.ts";
import { etcdErrors } from "./etcd-errors.ts";

/** What a client was promised: that its keys are there while it says that it is. */
export interface Lease {
  readonly id: bigint;
  /** Seconds. */
  readonly ttl: number;
  /** In ticks of the clock. */
  expiresAt: number;
  /** Those that were put with it; some may have been written without it since. */
  readonly keys: Set<string>;
}

export interface LeaseBookOptions {
  readonly store: Transactor;
  readonly clock: Clock;
  readonly log: Log;
  /** A number that is no other lease's, with 63 bits. */
  newId(): bigint;
}

/** An election's time and a half, as etcd has it by default. */
const minTtl = 2;
const maxTtl = 9_000_000_000;
/** The longest delay that timers are sure to keep. */
const longestTimer = 0x7fffffff;
/** After so long a lease that could not be ended is tried again. */
const retryMs = 3000;

/**
 * The leases that are alive. Those with keys are known again after a restart by what was written with
 * the keys, and then have their whole time before them, as in etcd; those without are forgotten.
 */
export class LeaseBook {
  readonly #options: LeaseBookOptions;
  readonly #ticks: () => number;
  readonly #leases = new Map<bigint, Lease>();
  readonly #timers = new Map<bigint, Timer>();
  #isClosed = false;

  constructor(options: LeaseBookOptions) {
    this.#options = options;
    this.#ticks = ticksOf(options.clock);
    for (const [key, { lease: id, ttl }] of attachments(options.store.view())) {
      const lease = this.#leases.get(id) ?? this.#add(id, ttl);
      lease.keys.add(key);
    }
  }

  lookup(id: bigint): Lease | undefined {
    return this.#leases.get(id);
  }

  all(): Lease[] {
    return [...this.#leases.values()];
  }

  /** Whole seconds that are left. */
  remaining({ expiresAt }: Lease): number {
    return Math.trunc((expiresAt - this.#ticks()) / 1000);
  }

  /** The keys that hang on it. */
  keys({ id, keys }: Lease, view: StoreView): string[] {
    return [...keys].filter((key) => {
      const entry = view.get(key);
      return entry !== undefined && leaseOf(view, entry) === id;
    });
  }

  grant(asked: bigint, ttl: number): Lease {
    if (ttl > maxTtl) throw etcdErrors.leaseTtlTooLarge();
    let id = asked;
    while (id === 0n) id = this.#options.newId();
    if (this.#leases.has(id)) throw etcdErrors.leaseExists();
    return this.#add(id, Math.max(ttl, minTtl));
  }

  /** Begins its time anew; nothing where there is no such lease. */
  renew(id: bigint): Lease | undefined {
    const lease = this.#leases.get(id);
    // One that is over is being ended.
    if (!lease || lease.expiresAt <= this.#ticks()) return undefined;
    lease.expiresAt = this.#ticks() + lease.ttl * 1000;
    this.#arm(lease);
    return lease;
  }

  /** Ends it, and deletes its keys in one revision. */
  async revoke(id: bigint): Promise<number> {
    const lease = this.#leases.get(id);
    if (!lease) throw etcdErrors.leaseNotFound();
    this.#forget(id);
    try {
      const { revision } = await this.#options.store.transact((now) => {
        const draft = new Draft(now);
        for (const key of this.keys(lease, now).sort()) draft.delete(key);
        return { ops: draft.ops, answer: undefined };
      });
      return revision;
    } catch (error) {
      if (!this.#isClosed && !this.#leases.has(id)) {
        this.#leases.set(id, lease);
        this.#arm(lease, retryMs);
      }
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #add(id: bigint, ttl: number): Lease {
    const lease: Lease = { id, ttl, expiresAt: this.#ticks() + ttl * 1000, keys: new Set() };
    this.#leases.set(id, lease);
    this.#arm(lease);
    return lease;
  }

  #forget(id: bigint): void {
    this.#leases.delete(id);
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
  }

  #arm(lease: Lease, leastMs = 0): void {
    const { clock } = this.#options;
    this.#timers.get(lease.id)?.cancel();
    const delay = Math.max(leastMs, lease.expiresAt - this.#ticks());
    const timer = clock.setTimer(Math.min(delay, longestTimer), () => this.#due(lease));
    this.#timers.set(lease.id, timer);
  }

  #due(lease: Lease): void {
    if (lease.expiresAt > this.#ticks()) {
      this.#arm(lease);
      return;
    }
    this.revoke(lease.id).catch((error: unknown) => {
      if (!this.#isClosed) this.#options.log.error("a lease could not be ended", error);
    });
  }
}
