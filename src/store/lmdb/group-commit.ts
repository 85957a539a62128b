import type { Change, Commit } from "../keyspace.ts";
import { StoreError } from "../store.ts";
import { isNoRoom } from "./disk-fault.ts";
import type { Journal } from "./journal.ts";
import { type EncodedRecord, encodeRecord, type RecordId } from "./record.ts";
import type { Slot } from "./slot.ts";

/** How many records are removed at least along with a group: some 2 ms of work for who waits for it. */
const removalStep = 400;
/** And how many for each that is written, so that removing is faster than writing, however many write. */
const removalRatio = 2;

/** How long it takes until a disk that failed is tried again. */
const retryMs = 1000;

/**
 * Lets many writers share one sync: while one group of commits is being made durable, the next
 * gathers.
 *
 *     commit 7 8 9      → group [7 8 9] is written; 10 11 come meanwhile
 *     synced            → 7 8 9 are delivered and acknowledged; group [10 11] is written
 *
 * What a compaction removes goes with the groups, a little with each, or alone where nobody writes.
 */
export class GroupCommit {
  readonly #journal: Journal;
  readonly #deliver: (commit: Commit<Slot>) => void;
  /** What each key becomes by commits that are not durable yet. */
  readonly #pending = new Map<string, Change<Slot>>();
  /** The group that is being written; empty when nothing is. */
  #writing: Waiting[] = [];
  #gathering: Waiting[] = [];
  #newest: number = 0;
  /** Of the journal, when it was last asked, which is no small work. */
  #usedBytes: number;
  /** Of the records that were written since. */
  #writtenBytes: number = 0;
  /** Of the commits that are not written yet. */
  #waitingBytes: number = 0;
  #delivered: number;
  #removal: Removal | undefined;
  /** What is to be done between two groups. */
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

  /** What a commit that is not durable yet makes of the key. */
  pending(key: string): Change<Slot> | undefined {
    return this.#pending.get(key);
  }

  /** What keys become by all the commits that are not durable yet. */
  underWay(): Iterable<Change<Slot>> {
    return this.#pending.values();
  }

  /** The newest revision of a commit that was taken; 0 if none was, or they could not be written. */
  get newest(): number {
    return this.#newest;
  }

  /** How many bytes of the disk are in use at most, once all that is under way is written. */
  get usedAtMost(): number {
    // A record that is just too large for a page's rest takes up to twice its length.
    return this.#usedBytes + 2 * (this.#writtenBytes + this.#waitingBytes);
  }

  /** How many there are. */
  countUsed(): number {
    this.#usedBytes = this.#journal.usedBytes;
    this.#writtenBytes = 0;
    return this.#usedBytes + this.#waitingBytes;
  }

  /** Whether a write to disk has failed, so that `recover` must come before the next one. */
  get isFaulty(): boolean {
    return this.#fault !== undefined;
  }

  /** Takes writes again if the disk does; fails with Unavailable if not. */
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
      // If it is there after all, it may be so only in memory.
      if (!this.#isUnchanged()) throw new Error("lmdb holds a commit that the disk did not take");
      await this.#journal.writeCompacted(this.#journal.compacted);
      this.#fault = undefined;
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  /** Takes the next commit, or throws and does not; resolves when it is durable and delivered. */
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

  /** Resolves when every commit so far is durable, and fails if that cannot be known. */
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

  /** Removes records that nobody can read, some of which may be gone; one removal at a time. */
  remove(ids: Iterator<RecordId>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#removal = { ids, resolve, reject };
      this.#running ??= this.#run();
    });
  }

  /** Does something when no group is being written, and lets none be until it is done. */
  exclusively(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const run = (): Promise<void> => work().then(resolve, reject);
      this.#between.push({ run, reject });
      this.#running ??= this.#run();
    });
  }

  /** Leaves what is still to be removed for another time. */
  stopRemoval(): void {
    this.#removal?.resolve();
    this.#removal = undefined;
  }

  async #run(): Promise<void> {
    for (;;) {
      for (let work = this.#between.shift(); work; work = this.#between.shift()) await work.run();
      if (this.#gathering.length === 0 && this.#removal === undefined) break;
      // Who was told of the last group may commit again at once, and then belongs to this one.
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
   * Where the disk has no room, LMDB leaves the database as it was, and nothing was applied; nor was it
   * where the journal says so. After any other fault that is not certain: the page that makes a commit
   * count may be on the disk or not.
   */
  #fail(cause: unknown): void {
    this.#pending.clear();
    this.#newest = 0;
    this.#waitingBytes = 0;
    this.#fault = { cause, triedAt: Number.NEGATIVE_INFINITY };
    const refused = unavailable(cause);
    const isRefused = cause instanceof StoreError || (isNoRoom(cause) && this.#isUnchanged());
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

/** The next of them, at most so many. */
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
  const message = isNoRoom(cause)
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
