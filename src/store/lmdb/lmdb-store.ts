import type { Clock } from "../../base/clock.ts";
import { expireLeases } from "../expire-leases.ts";
import { Expiry } from "../expiry.ts";
import { Hub } from "../hub.ts";
import { type Commit, Keyspace } from "../keyspace.ts";
import { overlay } from "../overlay.ts";
import { type Plan, planCommit } from "../plan-commit.ts";
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
import {
  type Decided,
  type Decision,
  keyspaceView,
  type StoreView,
  type Transactor,
} from "../transactor.ts";
import { damaged } from "./database.ts";
import { currentFormat } from "./format.ts";
import { GroupCommit } from "./group-commit.ts";
import { Journal } from "./journal.ts";
import { openLmdbReader } from "./lmdb-reader.ts";
import { defaultQuotaBytes, type OnFull, Quota } from "./quota.ts";
import { listSlots, readSlot } from "./read-slots.ts";
import type { RecordId } from "./record.ts";
import { type Recovered, recover } from "./recover.ts";
import { isMostlyFree, type ShrinkOptions, shrink } from "./shrink.ts";
import { idOf, type Slot } from "./slot.ts";
import type { Superseded } from "./superseded.ts";

/** The number of commits that a compaction processes at a time. */
const compactionStep = 100;

export interface LmdbStoreOptions {
  /** The data directory; created if it does not exist. */
  readonly path: string;
  readonly clock: Clock;
  /** The minimum size in bytes of a mostly free file to be shrunk. Default: 32 MiB. */
  readonly shrinkAtLeast?: number;
  /** The maximum of used bytes, beyond which puts are rejected. Default: 8 GiB; 0: unlimited. */
  readonly quotaBytes?: number;
  readonly onFull?: OnFull;
  /** Whether commits are acknowledged before they are durable: for tests, as etcd's --unsafe-no-fsync. */
  readonly noSync?: boolean;
}

/**
 * Opens a store on disk; fails with Locked or Corrupt, and a message with advice. A read-only store
 * changes nothing in the directory and follows the process that may write to it.
 */
export function openLmdbStore(
  options: LmdbStoreOptions & { readonly readOnly: true },
): Promise<Store>;
export function openLmdbStore(
  options: LmdbStoreOptions & { readonly readOnly?: false },
): Promise<LmdbStore>;
export function openLmdbStore(
  options: LmdbStoreOptions & { readonly readOnly?: boolean },
): Promise<Store>;
export async function openLmdbStore(
  options: LmdbStoreOptions & { readonly readOnly?: boolean },
): Promise<Store> {
  return options.readOnly ? await openLmdbReader(options) : await openForWriting(options);
}

async function openForWriting(options: LmdbStoreOptions): Promise<LmdbStore> {
  const { path, clock, shrinkAtLeast, quotaBytes: bytes = defaultQuotaBytes } = options;
  const quota = new Quota({ path, bytes, onFull: options.onFull ?? (() => undefined) });
  const journal = await Journal.open(path, currentFormat, { noSync: options.noSync });
  try {
    const space = { path, atLeast: shrinkAtLeast };
    await shrink(journal, space);
    return new LmdbStore(journal, recover(journal), { clock, quota, space });
  } catch (cause) {
    await journal.close();
    throw damaged(path, cause);
  }
}

/** The dependencies of a store. */
interface Surroundings {
  readonly clock: Clock;
  readonly quota: Quota;
  readonly space: Pick<ShrinkOptions, "path" | "atLeast">;
}

/** A store on disk: keys and history in memory, values in the journal. */
export class LmdbStore implements Store, Transactor, Expiring {
  readonly #journal: Journal;
  readonly #clock: Clock;
  /** Contains only durable commits. */
  readonly #keyspace: Keyspace<Slot>;
  readonly #hub: Hub<Slot>;
  readonly #group: GroupCommit;
  readonly #quota: Quota;
  readonly #space: ShrinkOptions;
  readonly #expiry: Expiry;
  /** Records superseded before the store was opened; for later ones, the keyspace is used. */
  readonly #superseded: Superseded;
  readonly #openedAt: number;
  #compaction: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(
    journal: Journal,
    { keyspace, superseded }: Recovered,
    { clock, quota, space }: Surroundings,
  ) {
    this.#journal = journal;
    this.#clock = clock;
    this.#quota = quota;
    this.#space = space;
    this.#keyspace = keyspace;
    this.#superseded = superseded;
    this.#openedAt = keyspace.revision;
    this.#hub = new Hub(this.#keyspace, (slot) => this.#load(slot));
    this.#group = new GroupCommit(journal, (commit) => this.#deliver(commit));
    this.#expiry = new Expiry(
      this.#clock,
      (leases) => void expireLeases(this, this.#keyspace, leases),
    );
    for (const slot of this.#keyspace.list("", {}).versions) this.#addLease(slot);
  }

  async currentRevision(): Promise<number> {
    this.#checkOpen();
    return this.#keyspace.revision;
  }

  async get(key: string, revision?: number): Promise<Entry | undefined> {
    this.#checkOpen();
    const slot = this.#keyspace.get(key, revision);
    return slot && this.#load(slot);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#checkOpen();
    return listSlots({ keyspace: this.#keyspace, journal: this.#journal }, prefix, options);
  }

  async commit(ops: readonly Op[]): Promise<CommitOutcome> {
    this.#checkOpen();
    if (this.#group.isFaulty) await this.#recover();
    this.#quota.check(ops, this.#group);
    const plan = this.#plan(ops);
    if (plan.ok && plan.commit !== undefined) {
      await this.#group.write(plan.commit);
      return { ok: true, revision: plan.commit.revision };
    }
    // A response that depends on pending commits must wait until they are durable.
    if (ops.some(({ key }) => this.#group.pending(key))) await this.#group.settled();
    const { revision } = this.#keyspace;
    if (plan.ok) return { ok: true, revision };
    const current = plan.current && this.#load(plan.current);
    return { ok: false, key: plan.key, current, revision };
  }

  view(): StoreView {
    this.#checkOpen();
    return keyspaceView(this.#keyspace, (slot) => this.#load(slot));
  }

  async transact<T>(decide: (now: StoreView) => Decision<T>): Promise<Decided<T>> {
    this.#checkOpen();
    if (this.#group.isFaulty) await this.#recover();
    const durable = this.view();
    const pendingChanges = new Map<string, Entry | undefined>();
    for (const { key, current } of this.#group.pendingChanges()) {
      pendingChanges.set(key, current && this.#load(current));
    }
    const now = overlay(durable, pendingChanges, this.#newest);
    const { ops, answer } = decide(now);
    if (ops.length > 0) return { revision: (await this.commit(ops)).revision, answer };
    // The result may depend on pending commits.
    await this.#group.settled();
    return { revision: now.revision, answer };
  }

  expiresAt({ key }: Entry, revision: number): number {
    return this.#keyspace.get(key, revision)?.expiresAt ?? 0;
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return this.#hub.watch(prefix, options);
  }

  subscribe(prefix: string, options: SubscribeOptions, subscriber: Subscriber): () => void {
    return this.#hub.subscribe(prefix, options, subscriber);
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    if (this.#group.isFaulty) await this.#recover();
    const compaction = this.#compaction.then(() => this.#compact(revision));
    // Only the next compaction and `close` wait for it.
    this.#compaction = compaction
      .then((isUnused) => this.#giveBack(isUnused))
      .catch(() => undefined);
    await compaction;
  }

  /** Resolves when every commit so far is durable and delivered. */
  async settled(): Promise<void> {
    await this.#group.settled();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#expiry.close();
    await this.#group.settled().catch(() => undefined);
    // The rest is removed after the next start.
    this.#group.stopRemoval();
    await this.#compaction;
    await this.#group.idle();
    this.#hub.close(closedError());
    await this.#journal.close();
  }

  #plan(ops: readonly Op[]): Plan<Slot> {
    const now = this.#clock.now();
    return planCommit<Slot>(ops, {
      revision: this.#newest + 1,
      current: (key) => {
        const change = this.#group.pending(key);
        return change === undefined ? this.#keyspace.get(key) : change.current;
      },
      version: (stamp, { value, ttlMs }, ordinal) => {
        const { key, createRevision, modRevision, version } = stamp;
        const expiresAt = ttlMs === undefined ? 0 : now + ttlMs;
        return { key, createRevision, modRevision, version, ordinal, expiresAt, value };
      },
    });
  }

  #deliver(commit: Commit<Slot>): void {
    this.#keyspace.append(commit);
    for (const { current } of commit.changes) if (current !== undefined) this.#addLease(current);
    this.#hub.publish(commit);
  }

  #addLease({ key, modRevision, expiresAt }: Slot): void {
    if (expiresAt > 0) this.#expiry.add({ key, modRevision, expiresAt });
  }

  #load(slot: Slot): Entry {
    return readSlot(this.#journal, slot);
  }

  /** Returns whether most of the file was unused since the previous compaction. */
  async #compact(revision: number): Promise<boolean> {
    this.#checkOpen();
    this.#keyspace.checkCompaction(revision);
    const isUnused = isMostlyFree(this.#journal, this.#space.atLeast);
    try {
      // Write the mark first: it identifies leftover records after a crash.
      await this.#journal.writeCompacted(revision);
    } catch (cause) {
      throw new StoreError("Unavailable", "writing the compaction to disk failed", { cause });
    }
    const past = new Keyspace(this.#keyspace);
    this.#keyspace.compact(revision);
    if (this.#closed === undefined) await this.#group.remove(this.#unreadable(past, revision));
    return isUnused;
  }

  /** Shrinks the file, unless its free pages are reused between two compactions. */
  async #giveBack(isUnused: boolean): Promise<void> {
    if (!isUnused || this.#group.isFaulty) return;
    await shrink(this.#journal, {
      ...this.#space,
      exclusively: (work) => this.#group.exclusively(work),
      isStopped: () => this.#closed !== undefined || this.#group.isFaulty,
    });
  }

  /** The records that can no longer be read, oldest first. */
  *#unreadable(past: Keyspace<Slot>, revision: number): Generator<RecordId> {
    yield* this.#superseded.takeUpTo(revision);
    for (let at = Math.max(this.#openedAt, past.compacted); at < revision; at += compactionStep) {
      const commits = past.commitsAfter(at, Math.min(compactionStep, revision - at));
      for (const commit of commits) yield* superseded(commit);
    }
  }

  /** The newest assigned revision, durable or not. */
  get #newest(): number {
    return Math.max(this.#keyspace.revision, this.#group.newest);
  }

  async #recover(): Promise<void> {
    await this.#group.recover(this.#clock.now());
    this.#checkOpen();
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closedError();
  }
}

/** The records that become unreadable once a commit is compacted. */
function superseded({ revision, changes }: Commit<Slot>): RecordId[] {
  return changes.flatMap(({ current, previous }, ordinal) => [
    ...(previous === undefined ? [] : [idOf(previous)]),
    ...(current === undefined ? [{ revision, ordinal }] : []),
  ]);
}
