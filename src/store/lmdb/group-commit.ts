import type { Change, Commit } from "../keyspace.ts";
import { StoreError } from "../store.ts";
import { isDiskFull } from "./disk-fault.ts";
import type { Journal } from "./journal.ts";
import { type EncodedRecord, encodeRecord, type RecordId } from "./record.ts";
import type { Slot } from "./slot.ts";

/** The minimum number of records to remove per group: about 2 ms of delay for its writers. */
const removalStep = 400;
/** Records to remove per written record, so that removal is faster than writing. */
const removalRatio = 2;

/** The interval of attempts after a disk fault. */
const retryMs = 1000;

/**
 * Lets many writers share one sync: while one group of commits is being made durable, the next
 * gathers.
 *
 *     commit 7 8 9      → group [7 8 9] is written; 10 11 come meanwhile
 *     synced            → 7 8 9 are delivered and acknowledged; group [10 11] is written
 *
 * Records that a compaction removes go with the groups, a few with each, or alone if nothing is written.
 */
export class GroupCommit {
  readonly #journal: Journal;
  readonly #deliver: (commit: Commit<Slot>) => void;
  /** The changes of keys in commits that are not durable yet. */
  readonly #pending = new Map<string, Change<Slot>>();
  /** The group that is being written; empty when idle. */
  #writing: Waiting[] = [];
  #gathering: Waiting[] = [];
  #newest: number = 0;
  /** The used bytes of the journal at the last count, which is expensive. */
  #usedBytes: number;
  /** The bytes of records written since. */
  #writtenBytes: number = 0;
  /** The bytes of commits that are not written yet. */
  #waitingBytes: number = 0;
  #delivered: number;
  #removal: Removal | undefined;
  /** Work to do between two groups. */
  readonly #between: Between[] = [];
  #running: Promise<void> | undefined;
  #fault: { readonly cause: unknown; readonly triedAt: number } | undefined;
  #recovering: Promise<void> | undefined;

  /** `deliver` is called for each commit once it is durable, in order. */
  constructor(journal: Journal, deliver: (commit: Commit<Slot>) => void) {
    this.#journal = journal;
    this.#delivered = Math.max(journal.compacted, journal.lastRevision);
    this.#usedBytes = journal.usedBytes;
    this.#deliver = deliver;
  }

  /** The change of a key in a commit that is not durable yet. */
  pending(key: string): Change<Slot> | undefined {
    return this.#pending.get(key);
  }

  /** The changes of all keys in commits that are not durable yet. */
  pendingChanges(): Iterable<Change<Slot>> {
    return this.#pending.values();
  }

  /** The newest revision of an accepted commit; 0 if there is none, or they could not be written. */
  get newest(): number {
    return this.#newest;
  }

  /** An upper bound of the used bytes once all pending commits are written. */
  get usedAtMost(): number {
    // A record slightly too large for the rest of a page takes up to twice its length.
    return this.#usedBytes + 2 * (this.#writtenBytes + this.#waitingBytes);
  }

  /** Counts the used bytes. */
  countUsed(): number {
    this.#usedBytes = this.#journal.usedBytes;
    this.#writtenBytes = 0;
    return this.#usedBytes + this.#waitingBytes;
  }

  /** Whether a write has failed, so that `recover` must come before the next one. */
  get isFaulty(): boolean {
    return this.#fault !== undefined;
  }

  /** Accepts writes again if the disk does; fails with Unavailable if not. */
  async recover(now: number): Promise<void> {
    const { cause, triedAt } = this.#fault ?? { cause: undefined, triedAt: 0 };
    if (this.#recovering === undefined) {
      if (Math.abs(now - triedAt) < retryMs) throw unavailable(cause);
      this.#fault = { cause, triedAt: now };
      this.#recovering = this.#tryAgain().finally(() => {
        this.#recovering = undefined;
      });
    }
    await this.#recovering;
  }

  async #tryAgain(): Promise<void> {
    await this.#running;
    try {
      await this.#journal.startAgain();
      // A failed commit that lmdb shows may exist only in memory.
      if (!this.#isUnchanged()) throw new Error("lmdb shows a commit that is not on disk");
      await this.#journal.writeCompacted(this.#journal.compacted);
      this.#fault = undefined;
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  /** Accepts the next commit, or throws; resolves when it is durable and delivered. */
  write(commit: Commit<Slot>): Promise<void> {
    const records = commit.changes.map((change, ordinal) =>
      toRecord(change, { revision: commit.revision, ordinal }),
    );
    for (const change of commit.changes) this.#pending.set(change.key, change);
    this.#newest = commit.revision;
    this.#waitingBytes += bytesOf(records);
    return new Promise((resolve, reject) => {
      this.#gathering.push({ commit, records, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when every commit so far is durable; fails if that is unknown. */
  settled(): Promise<void> {
    const last = this.#gathering.length > 0 ? this.#gathering : this.#writing;
    if (last.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      last.push({ commit: undefined, records: [], resolve, reject });
    });
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Removes unreadable records, some of which may already be missing; one removal at a time. */
  remove(ids: Iterator<RecordId>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#removal = { ids, resolve, reject };
      this.#running ??= this.#run();
    });
  }

  /** Runs work while no group is being written, and delays groups until it is done. */
  exclusively(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const run = (): Promise<void> => work().then(resolve, reject);
      this.#between.push({ run, reject });
      this.#running ??= this.#run();
    });
  }

  /** Stops a removal; the rest is removed later. */
  stopRemoval(): void {
    this.#removal?.resolve();
    this.#removal = undefined;
  }

  async #run(): Promise<void> {
    for (;;) {
      for (let work = this.#between.shift(); work; work = this.#between.shift()) await work.run();
      if (this.#gathering.length === 0 && this.#removal === undefined) break;
      // Writers that were just acknowledged may commit again at once, and join this group.
      await turn();
      this.#writing = this.#gathering;
      this.#gathering = [];
      const written = this.#writing.flatMap(({ records }) => records);
      const removal = this.#removal;
      const step = Math.max(removalStep, removalRatio * written.length);
      const removed = take(removal?.ids, step);
      try {
        await this.#journal.append(written, removed);
      } catch (cause) {
        this.#fail(cause);
        break;
      }
      const bytes = bytesOf(written);
      this.#waitingBytes -= bytes;
      this.#writtenBytes += bytes;
      const group = this.#writing;
      this.#writing = [];
      for (const { commit, resolve } of group) {
        if (commit !== undefined) this.#finish(commit);
        resolve();
      }
      if (removed.length < step && removal === this.#removal) {
        this.#removal = undefined;
        removal?.resolve();
      }
    }
    this.#running = undefined;
  }

  #finish(commit: Commit<Slot>): void {
    this.#deliver(commit);
    this.#delivered = commit.revision;
    for (const change of commit.changes) {
      if (change.current !== undefined) change.current.value = undefined;
      if (this.#pending.get(change.key) === change) this.#pending.delete(change.key);
    }
  }

  /**
   * If the disk is full, LMDB leaves the database unchanged, and nothing was applied; the same holds if
   * the journal says so. After any other fault the outcome is unknown: the meta page of the commit may
   * be on disk or not.
   */
  #fail(cause: unknown): void {
    this.#pending.clear();
    this.#newest = 0;
    this.#waitingBytes = 0;
    this.#fault = { cause, triedAt: Number.NEGATIVE_INFINITY };
    const refused = unavailable(cause);
    const isRefused = cause instanceof StoreError || (isDiskFull(cause) && this.#isUnchanged());
    const lost = isRefused ? refused : unknownOutcome(cause);
    for (const { reject } of this.#writing.splice(0)) reject(lost);
    for (const { reject } of this.#gathering.splice(0)) reject(refused);
    for (const { reject } of this.#between.splice(0)) reject(refused);
    this.#removal?.reject(refused);
    this.#removal = undefined;
  }

  #isUnchanged(): boolean {
    try {
      return this.#journal.lastRevision <= this.#delivered;
    } catch {
      return false;
    }
  }
}

/** Takes at most `count` items. */
function take<T>(items: Iterator<T> | undefined, count: number): T[] {
  const taken: T[] = [];
  while (items !== undefined && taken.length < count) {
    const next = items.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

function bytesOf(records: readonly EncodedRecord[]): number {
  return records.reduce((sum, { record }) => sum + record.length, 0);
}

interface Removal {
  readonly ids: Iterator<RecordId>;
  resolve(): void;
  reject(error: StoreError): void;
}

interface Between {
  run(): Promise<void>;
  reject(error: StoreError): void;
}

interface Waiting {
  readonly commit: Commit<Slot> | undefined;
  readonly records: readonly EncodedRecord[];
  resolve(): void;
  reject(error: StoreError): void;
}

function toRecord(
  { key, current, previous }: Change<Slot>,
  { revision, ordinal }: { readonly revision: number; readonly ordinal: number },
): EncodedRecord {
  const { createRevision = 0, version = 0 } = current ?? previous ?? {};
  const expiresAt = current?.expiresAt ?? 0;
  const type = current === undefined ? "delete" : "put";
  const header = { revision, ordinal, type, key, createRevision, version, expiresAt } as const;
  return encodeRecord(header, current?.value ?? nothing);
}

const nothing = new Uint8Array(0);

function unknownOutcome(cause: unknown): StoreError {
  const message = `the disk did not take the commit (${reasonOf(cause)}): it may or may not be there after a restart`;
  return new StoreError("UnknownOutcome", message, { cause });
}

function unavailable(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const message = isDiskFull(cause)
    ? "the disk is full, and nothing was written: make room, and writes are taken again"
    : `the disk took no write (${reasonOf(cause)}), and nothing was written: it is tried again every second`;
  return new StoreError("Unavailable", message, { cause });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
