import type { Keyspace, Stamp } from "./keyspace.ts";
import type { Entry, ListOptions, Op, StoreEvent } from "./store.ts";

/** What a store holds, read at once; it is as it is only until its reader lets others go on. */
export interface StoreView {
  /** The newest revision that it shows. */
  readonly revision: number;
  /** The oldest revision that can be read; 0 if all can. */
  readonly compacted: number;
  /** What that revision changed; undefined where it is not known any more. */
  compactedEvents(): readonly StoreEvent[] | undefined;
  get(key: string, revision?: number): Entry | undefined;
  list(prefix: string, options?: ListOptions): ViewPage;
}

export interface ViewPage {
  readonly entries: readonly Entry[];
  /** How many keys of the prefix follow this page. */
  readonly remaining: number;
}

/** What is to be done, each key once, and what to say when it is. */
export interface Decision<T> {
  readonly ops: readonly Op[];
  readonly answer: T;
}

export interface Decided<T> {
  readonly revision: number;
  readonly answer: T;
}

/** A store in which a commit can be decided where it is planned, so that nothing comes between. */
export interface Transactor {
  /** What is durable. */
  view(): StoreView;
  /**
   * Decides at once on the newest state, commits under way included, and applies the operations in
   * one revision. Resolves when they, and all that the decision could see, are durable. What
   * `decide` throws is thrown, and nothing is done.
   */
  transact<T>(decide: (now: StoreView) => Decision<T>): Promise<Decided<T>>;
}

/** A keyspace as a view. */
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
