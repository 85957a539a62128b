import type { SecureContextOptions } from "node:tls";
import type { Clock } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { Dial } from "../../platform/dial-socket.ts";
import { checkOps } from "../plan-commit.ts";
import type { Expiring } from "../snapshot/snapshot-source.ts";
import {
  type CommitOutcome,
  closedError,
  type Entry,
  type ListOptions,
  type ListResult,
  type Op,
  type Store,
  StoreError,
  type SubscribeOptions,
  type Subscriber,
  type WatchBatch,
  type WatchOptions,
} from "../store.ts";
import { Watch } from "../watch.ts";
import { createEtcdCluster, type EtcdCluster } from "./etcd-cluster.ts";
import { commitOutcome, commitRequest } from "./etcd-commit.ts";
import { entryOf } from "./etcd-entry.ts";
import { type EtcdExpiry, etcdExpiry } from "./etcd-expiry.ts";
import {
  commitFault,
  isCompacted,
  isFutureRevision,
  isLeaseGone,
  readFault,
} from "./etcd-fault.ts";
import { type EtcdKeys, etcdKeys } from "./etcd-keys.ts";
import { type EtcdLeases, etcdLeases, leasesFor } from "./etcd-leases.ts";
import type { KeyValue, RangeRequest, RangeResponse, TxnResponse } from "./etcd-messages.ts";
import { etcdMethods } from "./etcd-methods.ts";
import { allTellProgress } from "./etcd-progress.ts";
import { compactedRevision, currentRevision } from "./etcd-revisions.ts";
import { EtcdSubscription } from "./etcd-subscription.ts";
import { writtenValues } from "./written-values.ts";

export interface EtcdStoreOptions {
  /** `http://HOST:PORT` or `https://HOST:PORT`, one for each member. */
  readonly endpoints: readonly string[];
  /** For https endpoints: the CA, and a client certificate with its key. */
  readonly tls?: SecureContextOptions | undefined;
  /** Opens connections below TLS; directly if not given. */
  readonly dial?: Dial | undefined;
  /** The prefix in etcd that replaces `/registry`. */
  readonly prefix?: string | undefined;
  readonly clock: Clock;
  /** The timeout of the first connection. Default: 20 seconds, as in upstream. */
  readonly dialMs?: number | undefined;
  /** The longest time that a lease is shared, in seconds. */
  readonly leaseReuseSeconds?: number | undefined;
}

/** Opens a store in etcd; fails with Unavailable if no member responds in time. */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<EtcdStore> {
  const { dialMs = 20_000 } = options;
  const cluster = createEtcdCluster(options);
  try {
    await currentRevision(cluster, { totalMs: dialMs });
    return new EtcdStore(cluster, { ...options, tellsProgress: await allTellProgress(cluster) });
  } catch (cause) {
    cluster.close();
    const fault = readFault(cause);
    if (fault.code !== "Unavailable") throw fault;
    throw new StoreError("Unavailable", unanswered(cluster, dialMs), { cause });
  }
}

function unanswered({ endpoints, failures }: EtcdCluster, dialMs: number): string {
  const reasons = endpoints.map(
    (endpoint) => `${endpoint}: ${failures().get(endpoint) ?? "it was not reached"}`,
  );
  return `no etcd server answered within ${dialMs / 1000} seconds (${reasons.join("; ")})`;
}

/** The number of keys per request. */
const pageSize = 10_000;
/** The timeout of a page, which may be large. */
const pageMs = 15_000;

/** A store in etcd, which other clients may write, too. */
export class EtcdStore implements Store, Expiring {
  readonly cluster: EtcdCluster;
  readonly #clock: Clock;
  readonly #keys: EtcdKeys;
  readonly #leases: EtcdLeases;
  readonly #expiry: EtcdExpiry;
  readonly #subscriptions = new Set<EtcdSubscription>();
  readonly #revision: () => Promise<number>;
  readonly #commits = new Set<Promise<unknown>>();
  readonly #values = writtenValues();
  readonly #tellsProgress: boolean;
  #isClosed = false;

  constructor(
    cluster: EtcdCluster,
    {
      clock,
      prefix,
      leaseReuseSeconds,
      tellsProgress = false,
    }: Omit<EtcdStoreOptions, "endpoints" | "tls" | "dialMs"> & { tellsProgress?: boolean },
  ) {
    this.cluster = cluster;
    this.#clock = clock;
    this.#keys = etcdKeys(prefix);
    this.#revision = coalesceCalls(() => this.#readRevision());
    this.#leases = etcdLeases({ cluster, clock, reuseSeconds: leaseReuseSeconds });
    this.#expiry = etcdExpiry({ cluster, clock });
    this.#tellsProgress = tellsProgress;
  }

  async currentRevision(): Promise<number> {
    this.#checkOpen();
    return this.#revision();
  }

  async get(key: string, revision = 0): Promise<Entry | undefined> {
    this.#checkOpen();
    checkRevision(revision);
    const { kvs } = await this.#range({ key: this.#keys.toEtcd(key), revision }, 1500);
    return kvs[0] && this.#entryOf(key, kvs[0]);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#checkOpen();
    checkRevision(options.revision ?? 0);
    const most = options.limit || Number.POSITIVE_INFINITY;
    const entries: Entry[] = [];
    let { revision = 0, after } = options;
    for (;;) {
      const range = this.#keys.range(prefix, after);
      // The request for an empty range still checks the revision.
      const request = range ?? { key: this.#keys.toEtcd("/registry/"), count_only: true };
      const limit = Math.min(most - entries.length, pageSize);
      const page = await this.#range({ ...request, revision, limit }, pageMs);
      revision ||= page.header?.revision ?? 0;
      for (const kv of page.kvs) {
        const key = this.#keys.fromEtcd(kv.key);
        if (key !== undefined) entries.push(this.#entryOf(key, kv));
      }
      const remaining = range ? page.count - page.kvs.length : 0;
      if (remaining === 0 || entries.length >= most)
        return { entries, revision, more: remaining > 0, remaining };
      after = entries.at(-1)?.key;
    }
  }

  commit(ops: readonly Op[]): Promise<CommitOutcome> {
    const commit = this.#commit(ops);
    this.#commits.add(commit);
    this.#values.add(ops);
    const forget = (): void => {
      this.#commits.delete(commit);
      this.#values.remove(ops);
    };
    commit.then(forget, forget);
    return commit;
  }

  /** When an entry that was read expires; etcd knows only the remaining time of its lease. */
  expiresAt(entry: Entry): Promise<number> {
    return this.#asked(() => this.#expiry.expiresAt(entry));
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return { [Symbol.asyncIterator]: () => this.#watch(prefix, options) };
  }

  subscribe(prefix: string, options: SubscribeOptions, subscriber: Subscriber): () => void {
    const subscription = this.#subscribe(prefix, options, subscriber);
    return () => subscription.stop();
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    checkRevision(revision);
    await this.#asked(
      () => this.cluster.call(etcdMethods.compact, { revision }, { isRepeatable: true }),
      revision,
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.allSettled(this.#commits);
    for (const subscription of this.#subscriptions) subscription.end(closedError());
    this.cluster.close();
  }

  #entryOf(key: string, kv: KeyValue): Entry {
    const entry = entryOf(key, kv);
    this.#expiry.note(entry, kv.lease);
    return entry;
  }

  async #readRevision(): Promise<number> {
    const revision = await this.#asked(() => currentRevision(this.cluster));
    // A member that does not send the revision is left for another.
    for (const subscription of this.#subscriptions) void subscription.shown(revision);
    return revision;
  }

  async #commit(ops: readonly Op[]): Promise<CommitOutcome> {
    this.#checkOpen();
    checkOps(ops);
    if (ops.length === 0) return { ok: true, revision: await this.currentRevision() };
    const { outcome, changed } = commitOutcome(ops, await this.#transaction(ops));
    // Subscribers receive the commit before its writer is acknowledged; after a conflict, they receive
    // the conflicting version first, so that a retry succeeds.
    const { current } = outcome.ok ? {} : outcome;
    const shown = (one: EtcdSubscription): Promise<void> => {
      if (outcome.ok) return one.shown(outcome.revision, changed);
      if (one.isWhole) return one.shown(outcome.revision);
      return current ? one.shown(current.modRevision, [current.key]) : Promise.resolve();
    };
    await Promise.all(Array.from(this.#subscriptions, shown));
    return outcome;
  }

  async #transaction(ops: readonly Op[], isRetry = false): Promise<TxnResponse> {
    try {
      const leases = await leasesFor(ops, this.#leases);
      const request = commitRequest(ops, this.#keys, leases);
      return await this.cluster.call(etcdMethods.txn, request, { isRepeatable: false });
    } catch (error) {
      if (!isLeaseGone(error) || isRetry) throw commitFault(error);
      this.#leases.forget();
      return this.#transaction(ops, true);
    }
  }

  #subscribe(prefix: string, options: SubscribeOptions, subscriber: Subscriber): EtcdSubscription {
    const subscription: EtcdSubscription = new EtcdSubscription(
      { prefix, ...options, subscriber },
      {
        cluster: this.cluster,
        clock: this.#clock,
        keys: this.#keys,
        known: this.#values.known,
        tellsProgress: this.#tellsProgress,
        isOver: () => void this.#subscriptions.delete(subscription),
      },
    );
    if (this.#isClosed) void Promise.resolve().then(() => subscription.end(closedError()));
    else this.#subscriptions.add(subscription);
    return subscription;
  }

  #watch(prefix: string, options: WatchOptions): Watch {
    let subscription: EtcdSubscription | undefined;
    return new Watch(options, {
      replay: (from) => ({ batches: [], reached: from, end: true }),
      subscribe: (from, subscriber) => {
        const made = this.#subscribe(prefix, { ...options, from }, subscriber);
        subscription = made;
        return () => made.stop();
      },
      pastUntil: () => subscription?.begunAt ?? 0,
    });
  }

  #range(request: Partial<RangeRequest>, attemptMs: number): Promise<RangeResponse> {
    const totalMs = Math.max(10_000, attemptMs * 2);
    const options = { isRepeatable: true, attemptMs, totalMs };
    return this.#asked(
      () => this.cluster.call(etcdMethods.range, request, options),
      request.revision,
    );
  }

  /**
   * Sends a request for a revision; adds the known revisions to its error if that one is unavailable.
   */
  async #asked<T>(ask: () => Promise<T>, revision = 0): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      // Requests from before the store was closed fail with Closed.
      if (this.#isClosed) throw closedError();
      if (isCompacted(cause)) {
        const oldest = await compactedRevision(this.cluster, this.#clock);
        const message = `revision ${revision} has been compacted; the oldest kept is ${oldest}`;
        throw new StoreError("Compacted", message, { revision: oldest, cause });
      }
      if (isFutureRevision(cause)) {
        const current = await this.currentRevision();
        const message = `revision ${revision} is in the future; the current one is ${current}`;
        throw new StoreError("FutureRevision", message, { revision: current, cause });
      }
      throw readFault(cause);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }
}

function checkRevision(revision: number): void {
  if (!Number.isSafeInteger(revision) || revision < 0)
    throw new StoreError("Invalid", `a revision is a whole number, not ${revision}`);
}
