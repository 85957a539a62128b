import type { Change, Commit } from "../keyspace.ts";
import { StoreError } from "../store.ts";
import type { Journal } from "./journal.ts";
import { type EncodedRecord, encodeRecord } from "./record.ts";
import type { Slot } from "./slot.ts";

/**
 * Lets many writers share one sync: while one group of commits is being made durable, the next
 * gathers.
 *
 *     commit 7 8 9      → group [7 8 9] is written; 10 11 come meanwhile
 *     synced            → 7 8 9 are delivered and acknowledged; group [10 11] is written
 */
export class GroupCommit {
  readonly #journal: Journal;
  readonly #deliver: (commit: Commit<Slot>) => void;
  /** What each key becomes by commits that are not durable yet. */
  readonly #pending = new Map<string, Change<Slot>>();
  /** The group that is being written; empty when nothing is. */
  #writing: Waiting[] = [];
  #gathering: Waiting[] = [];
  #running: Promise<void> | undefined;
  #fault: unknown;

  /** `deliver` is called for each commit once it is durable, in order. */
  constructor(journal: Journal, deliver: (commit: Commit<Slot>) => void) {
    this.#journal = journal;
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

  /** Fails once a write to disk has failed: what it left behind is known only after a restart. */
  checkWritable(): void {
    if (this.#fault !== undefined) throw unavailable(this.#fault);
  }

  /** Takes the next commit, or throws and does not; resolves when it is durable and delivered. */
  write(commit: Commit<Slot>): Promise<void> {
    const records = commit.changes.map((change, ordinal) =>
      toRecord(change, { revision: commit.revision, ordinal }),
    );
    for (const change of commit.changes) this.#pending.set(change.key, change);
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

  async #run(): Promise<void> {
    while (this.#gathering.length > 0) {
      // Who was told of the last group may commit again at once, and then belongs to this one.
      await turn();
      this.#writing = this.#gathering;
      this.#gathering = [];
      try {
        await this.#journal.append(this.#writing.flatMap(({ records }) => records));
      } catch (cause) {
        this.#fail(cause);
        break;
      }
      const group = this.#writing;
      this.#writing = [];
      for (const { commit, resolve } of group) {
        if (commit !== undefined) this.#finish(commit);
        resolve();
      }
    }
    this.#running = undefined;
  }

  #finish(commit: Commit<Slot>): void {
    this.#deliver(commit);
    for (const change of commit.changes) {
      if (change.current !== undefined) change.current.value = undefined;
      if (this.#pending.get(change.key) === change) this.#pending.delete(change.key);
    }
  }

  #fail(cause: unknown): void {
    this.#fault = cause;
    this.#pending.clear();
    const message = "the disk did not take the commit: it may or may not be there after a restart";
    for (const { reject } of this.#writing.splice(0)) {
      reject(new StoreError("UnknownOutcome", message, { cause }));
    }
    for (const { reject } of this.#gathering.splice(0)) reject(unavailable(cause));
  }
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

function unavailable(cause: unknown): StoreError {
  const message = "the store takes no writes since its disk failed: open it again";
  return new StoreError("Unavailable", message, { cause });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
