import type { Clock } from "../../base/clock.ts";
import { expireLeases } from "../expire-leases.ts";
import { Expiry, type Lease } from "../expiry.ts";
import { Hub } from "../hub.ts";
import { Keyspace } from "../keyspace.ts";
import { planCommit } from "../plan-commit.ts";
import type { Expiring } from "../snapshot/snapshot-source.ts";
import {
  type CommitOutcome,
  closedError,
  type Entry,
  type ListOptions,
  type ListResult,
  type Op,
  type Store,
  type SubscribeOptions,
  type Subscriber,
  type WatchBatch,
  type WatchOptions,
} from "../store.ts";
import {
  type Decided,
  type Decision,
  keyspaceView,
  type StoreView,
  type Transactor,
} from "../transactor.ts";

/** A store in memory that can be forked in constant time. */
export class MemoryStore implements Store, Transactor, Expiring {
  readonly #clock: Clock;
  readonly #keyspace: Keyspace<Entry>;
  readonly #expiry: Expiry;
  readonly #hub: Hub<Entry>;
  /** The expiry time of entries. */
  readonly #endings: WeakMap<Entry, number>;
  #closed: boolean = false;

  constructor(clock: Clock, from?: MemoryStore) {
    this.#endings = from ? from.#endings : new WeakMap();
    this.#clock = clock;
    this.#keyspace = new Keyspace(from ? from.#keyspace : undefined);
    this.#hub = new Hub(this.#keyspace, (entry) => entry);
    const expire = (leases: readonly Lease[]): void =>
      void expireLeases(this, this.#keyspace, leases);
    this.#expiry = new Expiry(clock, expire, from ? from.#expiry : undefined);
  }

  /** Returns an independent store with the same content and history. */
  fork(clock: Clock = this.#clock): MemoryStore {
    this.#checkOpen();
    return new MemoryStore(clock, this);
  }

  async currentRevision(): Promise<number> {
    this.#checkOpen();
    return this.#keyspace.revision;
  }

  async get(key: string, revision?: number): Promise<Entry | undefined> {
    this.#checkOpen();
    return this.#keyspace.get(key, revision);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#checkOpen();
    const { versions, remaining } = this.#keyspace.list(prefix, options);
    const revision = options.revision || this.#keyspace.revision;
    return { entries: versions, revision, more: remaining > 0, remaining };
  }

  async commit(ops: readonly Op[]): Promise<CommitOutcome> {
    this.#checkOpen();
    const now = this.#clock.now();
    const plan = planCommit<Entry>(ops, {
      revision: this.#keyspace.revision + 1,
      current: (key) => this.#keyspace.get(key),
      version: (stamp, { value, ttlMs }) => {
        const entry = { ...stamp, value };
        if (ttlMs !== undefined) this.#endings.set(entry, now + ttlMs);
        return entry;
      },
    });
    if (!plan.ok) {
      return { ok: false, key: plan.key, current: plan.current, revision: this.#keyspace.revision };
    }
    const { commit } = plan;
    if (commit === undefined) return { ok: true, revision: this.#keyspace.revision };
    this.#keyspace.append(commit);
    const modRevision = commit.revision;
    for (const op of ops) {
      if (op.type !== "put" || op.ttlMs === undefined) continue;
      this.#expiry.add({ key: op.key, modRevision, expiresAt: now + op.ttlMs });
    }
    this.#hub.publish(commit);
    return { ok: true, revision: commit.revision };
  }

  expiresAt({ key }: Entry, revision: number): number {
    const entry = this.#keyspace.get(key, revision);
    return (entry && this.#endings.get(entry)) ?? 0;
  }

  view(): StoreView {
    this.#checkOpen();
    return keyspaceView(this.#keyspace, (entry) => entry);
  }

  async transact<T>(decide: (now: StoreView) => Decision<T>): Promise<Decided<T>> {
    const { ops, answer } = decide(this.view());
    return { revision: (await this.commit(ops)).revision, answer };
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return this.#hub.watch(prefix, options);
  }

  subscribe(prefix: string, options: SubscribeOptions, subscriber: Subscriber): () => void {
    return this.#hub.subscribe(prefix, options, subscriber);
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    this.#keyspace.compact(revision);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#expiry.close();
    this.#hub.close(closedError());
  }

  #checkOpen(): void {
    if (this.#closed) throw closedError();
  }
}
