/** A version of a key as a client saw it. */
export interface Version {
  /** Unique to each write. */
  readonly value: string;
  /** The revision that wrote it. */
  readonly revision: number;
}

/** A read; the version is undefined if the key did not exist. */
export interface Read {
  readonly type: "read";
  readonly key: string;
  readonly found: Version | undefined;
}

/** A read of all keys at once. */
export interface List {
  readonly type: "list";
  readonly found: ReadonlyMap<string, Version>;
  readonly revision: number;
}

export interface Write {
  readonly type: "write";
  readonly key: string;
  /** Undefined: the key is deleted. */
  readonly value: string | undefined;
  /** The precondition: 0 for a key that must be absent; undefined for an unconditional write. */
  readonly ifRevision: number | undefined;
  readonly outcome: WriteOutcome;
}

export type WriteOutcome =
  /** Not every API returns the revision of every write. */
  | { readonly type: "done"; readonly revision?: number | undefined }
  /** Nor the version that caused the conflict. */
  | { readonly type: "refused"; readonly current?: Version | "absent" | undefined }
  /** It may have happened, or may still happen. */
  | { readonly type: "unknown" };

/** An operation of a client with its result, and the times of call and return on one clock. */
export interface Recorded<O extends Read | List | Write = Read | List | Write> {
  readonly client: number;
  readonly call: number;
  /** Infinity if the outcome is unknown. */
  readonly return: number;
  readonly operation: O;
}

/** One batch of a watch: only a revision if it is a progress notification. */
export interface LogBatch {
  readonly revision: number;
  readonly changes: readonly LogChange[];
}

export interface LogChange {
  readonly key: string;
  /** Undefined: the key was deleted. */
  readonly value: string | undefined;
}

/** The events of one watch from a revision on. */
export interface WatchLog {
  readonly from: number;
  readonly batches: readonly LogBatch[];
}

/** What clients and watches saw of one store. */
export interface History {
  readonly operations: readonly Recorded[];
  readonly watches: readonly WatchLog[];
  /** A watch from before the first operation to after the last. */
  readonly log: WatchLog;
}
