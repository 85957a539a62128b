import type { Keyspace, Stamp } from "./keyspace.ts";
import type { Entry, ListOptions, Op, StoreEvent } from "./store.ts";

/** A synchronous view of a store; it is valid only until the caller awaits something. */
export interface StoreView {
  /** The newest visible revision. */
  readonly revision: number;
  /** The oldest revision that can be read; 0 if all can. */
  readonly compacted: number;
  /** The changes of that revision; undefined if they are no longer known. */
  compactedEvents(): readonly StoreEvent[] | undefined;
  get(key: string, revision?: number): Entry | undefined;
  list(prefix: string, options?: ListOptions): ViewPage;
}

export interface ViewPage {
  readonly entries: readonly Entry[];
  /** The number of keys with the prefix after this page. */
  readonly remaining: number;
}

/** The operations to apply, at most one per key, and the result of the transaction. */
export interface Decision<T> {
  readonly ops: readonly Op[];
  readonly answer: T;
}

export interface Decided<T> {
  readonly revision: number;
  readonly answer: T;
}

/** A store that can decide on a commit and plan it in one synchronous step. */
export interface Transactor {
  /** A view of the durable state. */
  view(): StoreView;
  /**
   * Calls `decide` synchronously with the newest state, pending commits included, and applies its
   * operations in one revision. Resolves when they, and everything that the decision could see, are
   * durable. An error of `decide` is thrown, and nothing is applied.
   */
  transact<T>(decide: (now: StoreView) => Decision<T>): Promise<Decided<T>>;
}

/** Creates a view of a keyspace. */
export function keyspaceView<V extends Stamp>(
  keyspace: Keyspace<V>,
  toEntry: (version: V) => Entry,
): StoreView {
  return {
    revision: keyspace.revision,
    compacted: keyspace.compacted,
    compactedEvents: () =>
      keyspace.lastForgotten?.changes.map(({ key, current }) => ({
        type: current === undefined ? "delete" : "put",
        key,
        entry: current && toEntry(current),
        previous: undefined,
        revision: keyspace.compacted,
      })),
    get(key, revision) {
      const version = keyspace.get(key, revision);
      return version && toEntry(version);
    },
    list(prefix, options = {}) {
      const { versions, remaining } = keyspace.list(prefix, options);
      return { entries: versions.map(toEntry), remaining };
    },
  };
}
