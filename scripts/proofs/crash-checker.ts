import { deepStrictEqual } from "node:assert/strict";
import { type Entry, type Store, StoreError, type WatchBatch } from "../../src/store/store.ts";
import type { LoggedOp, LogLine } from "./crash-log.ts";
import { eventOp, valueText } from "./crash-writer.ts";

interface Version {
  readonly value: string;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
}

/** What a snapshot that a writer made holds. */
export interface FoundSnapshot {
  readonly revision: number;
  readonly entries: readonly Entry[];
}

/** What a round did to the store. */
export interface RoundResult {
  readonly revision: number;
  readonly acknowledged: number;
  /** Commits that are there although their writer did not live to hear it. */
  readonly unheard: number;
}

/** Knows what the store must hold, over all rounds, and compares. */
export class CrashChecker {
  readonly #keys = new Map<string, Version>();
  /** Everything up to here was found right. */
  #revision = 1;

  get revision(): number {
    return this.#revision;
  }

  /** Throws if the store, opened after a kill, is not what the writer's log demands. */
  async check(
    store: Store,
    lines: readonly LogLine[],
    snapshot?: FoundSnapshot,
  ): Promise<RoundResult> {
    const before = this.#revision;
    const revision = await store.currentRevision();
    if (revision < before) throw new Error(`the revision went down from ${before} to ${revision}`);
    const round = new Round(lines, before);
    const from = await this.#skipCompacted(store, round);
    if (snapshot?.revision === from) this.#compare(snapshot.entries, `the snapshot at ${from}`);
    for (const [index, batch] of (await collect(store, from, revision)).entries()) {
      expectEqual(batch.revision, from + 1 + index, "a watch has a gap or a duplicate");
      this.#apply(batch);
      round.match(batch);
      if (snapshot?.revision === batch.revision)
        this.#compare(snapshot.entries, `the snapshot at ${batch.revision}`);
    }
    if (snapshot !== undefined && (snapshot.revision < before || snapshot.revision > revision))
      throw new Error(`the snapshot is of ${snapshot.revision}, which nobody can have seen`);
    round.finish(revision);
    this.#revision = revision;
    this.#compare((await store.list("")).entries, "the list of all keys");
    return { revision, acknowledged: round.acknowledged, unheard: round.unheard };
  }

  /** What was compacted since is known by the log alone, which then has all of it acknowledged. */
  async #skipCompacted(store: Store, round: Round): Promise<number> {
    const compacted = await oldestKept(store, this.#revision);
    for (let revision = this.#revision + 1; revision <= compacted; revision++) {
      for (const [type, key] of round.take(revision)) {
        if (type === "delete") this.#keys.delete(key);
        else throw new Error(`${key} was put at ${revision}, which was not to be compacted`);
      }
    }
    return Math.max(this.#revision, compacted);
  }

  #apply({ revision, events }: WatchBatch): void {
    for (const { key, entry, previous } of events) {
      const old = this.#keys.get(key);
      expectEqual(
        previous && toVersion(previous),
        old,
        `the previous value of ${key} at ${revision} is wrong`,
      );
      if (entry === undefined) {
        this.#keys.delete(key);
        continue;
      }
      const created = old?.createRevision ?? revision;
      const expected = {
        createRevision: created,
        modRevision: revision,
        version: (old?.version ?? 0) + 1,
      };
      const found = toVersion(entry);
      expectEqual(
        found,
        { ...expected, value: found.value },
        `the counts of ${key} at ${revision} are wrong`,
      );
      this.#keys.set(key, found);
    }
  }

  #compare(entries: readonly Entry[], what: string): void {
    const found = entries.map((entry) => [entry.key, toVersion(entry)]);
    const expected = [...this.#keys].sort(([a], [b]) => (a < b ? -1 : 1));
    expectEqual(found, expected, `${what} is wrong`);
  }
}

/** The log of one writer, held against the commits found. */
class Round {
  readonly #tries = new Map<number, string>();
  readonly #byRevision = new Map<number, number>();
  /** The tries whose end is not in the log, by what they do. */
  readonly #open = new Map<string, number[]>();
  readonly #watched = new Map<number, string>();
  readonly #before: number;
  acknowledged = 0;
  unheard = 0;

  constructor(lines: readonly LogLine[], before: number) {
    this.#before = before;
    for (const line of lines) this.#read(line);
  }

  /** A commit is an acknowledged one, or one whose writer was killed first. */
  match({ revision, events }: WatchBatch): void {
    const found = JSON.stringify(events.map(eventOp));
    const watched = this.#watched.get(revision);
    if (watched !== undefined)
      expectEqual(found, watched, `what was watched at ${revision} is not what is there`);
    this.#watched.delete(revision);
    const id = this.#byRevision.get(revision);
    if (id !== undefined) {
      expectEqual(
        found,
        this.#tries.get(id),
        `what was acknowledged at ${revision} is not what is there`,
      );
      this.#byRevision.delete(revision);
      this.acknowledged++;
    } else if (this.#open.get(found)?.pop() === undefined) {
      throw new Error(`nobody made the commit found at ${revision}: ${found}`);
    } else {
      this.unheard++;
    }
  }

  /** What was acknowledged at a revision that can no longer be watched. */
  take(revision: number): readonly LoggedOp[] {
    const id = this.#byRevision.get(revision);
    if (id === undefined)
      throw new Error(`revision ${revision} was compacted before its writer knew of it`);
    this.#byRevision.delete(revision);
    this.#watched.delete(revision);
    this.acknowledged++;
    return JSON.parse(this.#tries.get(id) ?? "") as LoggedOp[];
  }

  finish(revision: number): void {
    const lost = [...this.#byRevision.keys()];
    expectEqual(lost, [], `acknowledged commits are lost at ${revision}`);
    expectEqual([...this.#watched.keys()], [], `watched commits are lost at ${revision}`);
  }

  #read(line: LogLine): void {
    if (line[0] === "try") this.#begin(line[1], line[2]);
    else if (line[0] === "watch") this.#watch(line[1], line[2]);
    else if (line[0] === "ack" || line[0] === "void") this.#end(line[1], line[2]);
  }

  #begin(id: number, ops: readonly LoggedOp[]): void {
    const text = JSON.stringify(ops);
    this.#tries.set(id, text);
    this.#open.set(text, [...(this.#open.get(text) ?? []), id]);
  }

  #watch(revision: number, ops: readonly LoggedOp[]): void {
    const expected = this.#before + this.#watched.size + 1;
    expectEqual(revision, expected, "the writer's own watch has a gap or a duplicate");
    this.#watched.set(revision, JSON.stringify(ops));
  }

  #end(id: number, revision: number | undefined): void {
    const text = this.#tries.get(id) ?? "";
    this.#open.set(
      text,
      (this.#open.get(text) ?? []).filter((other) => other !== id),
    );
    if (revision === undefined) return;
    if (revision <= this.#before || this.#byRevision.has(revision)) {
      throw new Error(`revision ${revision} was given twice`);
    }
    this.#byRevision.set(revision, id);
  }
}

/** The oldest revision that can be watched from, not below the one given. */
async function oldestKept(store: Store, from: number): Promise<number> {
  try {
    await store.list("", { revision: from, limit: 1 });
    return from;
  } catch (error) {
    if (error instanceof StoreError && error.code === "Compacted") return error.revision;
    throw error;
  }
}

async function collect(store: Store, from: number, to: number): Promise<WatchBatch[]> {
  const batches: WatchBatch[] = [];
  if (from >= to) return batches;
  for await (const batch of store.watch("", { from })) {
    batches.push(batch);
    if (batch.revision >= to) break;
  }
  return batches;
}

function toVersion(entry: Omit<Version, "value"> & { readonly value: Uint8Array }): Version {
  const { createRevision, modRevision, version } = entry;
  return { value: valueText(entry.value), createRevision, modRevision, version };
}

function expectEqual(found: unknown, expected: unknown, what: string): void {
  try {
    deepStrictEqual(found, expected);
  } catch (cause) {
    throw new Error(what, { cause });
  }
}
