import { type Clock, type Timer, ticksOf } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { StoreView, Transactor } from "../transactor.ts";
import { attachments, leaseOf } from "./attachment.ts";
import { Draft } from "./draft.ts";
import { etcdErrors } from "./etcd-errors.ts";

/** A lease of a client: its keys exist as long as the client renews it. */
export interface Lease {
  readonly id: bigint;
  /** Seconds. */
  readonly ttl: number;
  /** In ticks of the clock. */
  expiresAt: number;
  /** The keys that were put with it; some may have been written without it since. */
  readonly keys: Set<string>;
}

export interface LeaseBookOptions {
  readonly store: Transactor;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a new random id of 63 bits. */
  newId(): bigint;
}

/** etcd's default: one and a half election timeouts. */
const minTtl = 2;
const maxTtl = 9_000_000_000;
/** The longest delay of a timer in Node. */
const longestTimer = 0x7fffffff;
/** The retry interval of a lease that could not be revoked. */
const retryMs = 3000;

/**
 * The active leases. Those with keys are restored after a restart from the records beside the keys, with
 * their full time to live, as in etcd; those without keys are lost.
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

  /** The remaining whole seconds. */
  remaining({ expiresAt }: Lease): number {
    return Math.trunc((expiresAt - this.#ticks()) / 1000);
  }

  /** The keys that are attached to it. */
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

  /** Renews a lease; returns undefined if there is no such lease. */
  renew(id: bigint): Lease | undefined {
    const lease = this.#leases.get(id);
    // An expired lease is being revoked.
    if (!lease || lease.expiresAt <= this.#ticks()) return undefined;
    lease.expiresAt = this.#ticks() + lease.ttl * 1000;
    this.#arm(lease);
    return lease;
  }

  /** Revokes a lease and deletes its keys in one revision. */
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
      if (!this.#isClosed) this.#options.log.error("revoking a lease failed", error);
    });
  }
}
