import { prefixEnd, sortKey } from "./key-order.ts";
import { OrderedMap } from "./ordered-map.ts";
import { StoreError } from "./store.ts";

/** The metadata of a key's version; a backend adds the value, or its location. */
export interface Stamp {
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
}

export interface Change<V extends Stamp> {
  readonly key: string;
  readonly current: V | undefined;
  readonly previous: V | undefined;
}

/** The changes of one revision. */
export interface Commit<V extends Stamp> {
  readonly revision: number;
  readonly changes: readonly Change<V>[];
}

export interface Page<V> {
  readonly versions: readonly V[];
  readonly remaining: number;
}

/** The state that a backend reads at start. */
export interface RestoredState<V extends Stamp> {
  readonly compacted: number;
  readonly revision: number;
  /** The versions at the revision, by key. */
  readonly versions: ReadonlyMap<string, V>;
  /** Reads the commits after a revision, up to this state's. */
  readonly past?: (since: number) => Past<V>;
}

/** The commits before a state, oldest first. */
export interface Past<V extends Stamp> {
  /** The revision before the first commit: later than requested if older commits are compacted. */
  readonly since: number;
  readonly commits: readonly Commit<V>[];
}

/** The keys at one revision, by sort key. */
type View<V> = OrderedMap<string, V>;

/** The number of commits between two checkpoints: the maximum to undo for an old revision. */
const checkpointEvery = 1024;

/**
 * The keys at every revision from the compacted one to the current one, all in memory.
 *
 * The current view is changed in place. An older one is made from the next checkpoint above it by
 * undoing the commits between:
 *
 *     history    … 1023 1024 | 1025 … 2047 2048 | 2049 2050
 *     views kept           1024               2048       current
 *     at(2046) = a snapshot of view 2048 with commits 2048 and 2047 undone
 *
 * The commits before a restored state are read on demand.
 */
export class Keyspace<V extends Stamp> {
  #current: View<V>;
  /** Every commit after the compacted revision, except those that are read on demand. */
  #history: OrderedMap<number, Commit<V>>;
  #checkpoints: OrderedMap<number, Checkpoint<V>>;
  /** Reads the commits before the restored state, until they are first needed. */
  #unread: Unread<V> | undefined;
  #lastRead: Checkpoint<V> | undefined;
  #revision: number;
  #compacted: number;
  /** The changes of the compacted revision, if this process compacted it. */
  #lastForgotten: Commit<V> | undefined;

  constructor(from?: Keyspace<V>) {
    this.#current = from ? from.#current.snapshot() : new OrderedMap();
    this.#history = from ? from.#history.snapshot() : new OrderedMap();
    this.#checkpoints = from ? from.#checkpoints.snapshot() : new OrderedMap();
    this.#unread = from ? from.#unread : undefined;
    this.#revision = from?.revision ?? 1;
    this.#compacted = from?.compacted ?? 0;
    this.#lastForgotten = from?.lastForgotten;
  }

  get revision(): number {
    return this.#revision;
  }

  /**
   * The oldest revision that can be read, and after which commits are known; 0 if nothing was compacted.
   */
  get compacted(): number {
    return this.#compacted;
  }

  /**
   * The changes of the compacted revision itself, without previous values; undefined if unknown, as
   * after a restart.
   */
  get lastForgotten(): Commit<V> | undefined {
    return this.#lastForgotten;
  }

  get size(): number {
    return this.#current.size;
  }

  get(key: string, revision = 0): V | undefined {
    return this.#at(revision).get(sortKey(key));
  }

  list(prefix: string, options: { revision?: number; limit?: number; after?: string }): Page<V> {
    const view = this.#at(options.revision ?? 0);
    const start = sortKey(prefix);
    const end = prefixEnd(start);
    // The least string above a key is the key followed by U+0000.
    const next = options.after === undefined ? start : `${sortKey(options.after)}\0`;
    let from = start;
    if (next > from) from = next;
    const total = (end === undefined ? view.size : view.countBefore(end)) - view.countBefore(from);
    const count = Math.max(0, options.limit ? Math.min(options.limit, total) : total);
    const versions: V[] = [];
    if (count > 0) view.forEachFrom(from, (version) => versions.push(version) < count);
    return { versions, remaining: Math.max(0, total - count) };
  }

  /** Appends the next commit. */
  append(commit: Commit<V>): void {
    const { revision, changes } = commit;
    for (const { key, current } of changes) place(this.#current, key, current);
    this.#history.set(revision, commit);
    this.#revision = revision;
    if (revision % checkpointEvery === 0) {
      this.#checkpoints.set(revision, { revision, view: this.#current.snapshot() });
    }
  }

  /** Returns at most `limit` commits after a revision, oldest first. */
  commitsAfter(revision: number, limit: number): Commit<V>[] {
    this.#checkKept(revision);
    this.#knowAfter(revision);
    const commits: Commit<V>[] = [];
    if (revision < this.#revision) {
      this.#history.forEachFrom(revision + 1, (commit) => commits.push(commit) < limit);
    }
    return commits;
  }

  /** Throws unless the revision can be compacted. */
  checkCompaction(revision: number): void {
    if (revision === this.#compacted) throw compactedError(revision, this.#compacted);
    this.#checkKept(revision);
  }

  /** Drops every commit up to a revision, and the versions that only they contain. */
  compact(revision: number): void {
    this.checkCompaction(revision);
    const isUnread = this.#unread !== undefined && revision <= this.#unread.upTo;
    const { changes = [] } = this.#history.get(revision) ?? {};
    this.#lastForgotten = isUnread
      ? undefined
      : {
          revision,
          changes: changes.map(({ key, current }) => ({ key, current, previous: undefined })),
        };
    this.#history.deleteBefore(revision + 1);
    this.#checkpoints.deleteBefore(revision);
    this.#lastRead = undefined;
    this.#compacted = revision;
    if (this.#unread && this.#unread.upTo <= revision) this.#unread = undefined;
  }

  /** Starts from a restored state. */
  restore(state: RestoredState<V>): void {
    const { compacted, revision, versions, past } = state;
    const sorted = inOrder(versions);
    this.#current = OrderedMap.fromSorted(
      sorted.map(({ key }) => sortKey(key)),
      sorted,
    );
    this.#compacted = compacted;
    this.#revision = revision;
    this.#unread = past && { upTo: revision, past };
  }

  #at(revision: number): View<V> {
    if (revision === 0 || revision === this.#revision) return this.#current;
    this.#checkKept(revision);
    if (this.#lastRead?.revision === revision) return this.#lastRead.view;
    const view = this.#undoTo(revision);
    this.#lastRead = { revision, view };
    return view;
  }

  #undoTo(revision: number): View<V> {
    this.#knowAfter(revision);
    const kept = this.#checkpoints.firstFrom(revision);
    const view = (kept?.view ?? this.#current).snapshot();
    const commits = this.commitsAfter(revision, (kept?.revision ?? this.#revision) - revision);
    for (const commit of commits.reverse()) undo(view, commit);
    return view;
  }

  /** Reads the commits before the restored state, if some of them come after a revision. */
  #knowAfter(revision: number): void {
    if (this.#unread === undefined || this.#unread.upTo <= revision) return;
    const { upTo, past } = this.#unread;
    const { since, commits } = past(this.#compacted);
    if (since > this.#revision) throw compactedError(revision, since);
    this.#keepViews(upTo, commits);
    const history = [...commits];
    this.#history.forEachFrom(0, (commit) => history.push(commit) > 0);
    this.#history = OrderedMap.fromSorted(
      history.map((commit) => commit.revision),
      history,
    );
    this.#unread = undefined;
    if (since > this.#compacted) this.compact(since);
    this.#checkKept(revision);
  }

  /** Creates the checkpoints that appending the commits up to a revision would have created. */
  #keepViews(upTo: number, commits: readonly Commit<V>[]): void {
    const view = this.#undoTo(upTo);
    for (const commit of commits.toReversed()) {
      const { revision } = commit;
      if (revision % checkpointEvery === 0) {
        this.#checkpoints.set(revision, { revision, view: view.snapshot() });
      }
      undo(view, commit);
    }
  }

  #checkKept(revision: number): void {
    if (!Number.isSafeInteger(revision)) {
      throw new StoreError("Invalid", `a revision is a whole number, not ${revision}`);
    }
    if (revision < this.#compacted) throw compactedError(revision, this.#compacted);
    if (revision > this.#revision) throw this.#futureError(revision);
  }

  #futureError(revision: number): StoreError {
    const current = this.#revision;
    const message = `revision ${revision} is in the future; the current one is ${current}`;
    return new StoreError("FutureRevision", message, { revision: current });
  }
}

interface Unread<V extends Stamp> {
  readonly upTo: number;
  readonly past: (since: number) => Past<V>;
}

interface Checkpoint<V> {
  readonly revision: number;
  readonly view: View<V>;
}

function compactedError(revision: number, compacted: number): StoreError {
  const message = `revision ${revision} has been compacted; the oldest kept is ${compacted}`;
  return new StoreError("Compacted", message, { revision: compacted });
}

/** Sorts by sort key, which is almost always the key itself. */
function inOrder<V extends Stamp>(versions: ReadonlyMap<string, V>): V[] {
  const all = [...versions.values()];
  if (all.every(({ key }) => sortKey(key) === key)) return all.sort((a, b) => order(a.key, b.key));
  return all.sort((a, b) => order(sortKey(a.key), sortKey(b.key)));
}

const order = (a: string, b: string): number => (a < b ? -1 : 1);

function undo<V extends Stamp>(view: View<V>, { changes }: Commit<V>): void {
  for (const { key, previous } of changes) place(view, key, previous);
}

function place<V>(view: View<V>, key: string, version: V | undefined): void {
  if (version === undefined) view.delete(sortKey(key));
  else view.set(sortKey(key), version);
}
