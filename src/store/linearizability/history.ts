/** A key as somebody saw it. */
export interface Version {
  /** No two writes have the same. */
  readonly value: string;
  /** The one that wrote it. */
  readonly revision: number;
}

/** A read; what is absent was not there. */
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
  /** Absent: the key is deleted. */
  readonly value: string | undefined;
  /** As the store's: 0 for a key that must be absent; not given, whatever is there is written over. */
  readonly ifRevision: number | undefined;
  readonly outcome: WriteOutcome;
}

export type WriteOutcome =
  /** Not every API tells the revision of every write. */
  | { readonly type: "done"; readonly revision?: number | undefined }
  /** Nor what stood against it. */
  | { readonly type: "refused"; readonly current?: Version | "absent" | undefined }
  /** It may have happened, or may still happen. */
  | { readonly type: "unknown" };

/** What a client asked, and what it was told, with the times of both on one clock. */
export interface Recorded<O extends Read | List | Write = Read | List | Write> {
  readonly client: number;
  readonly call: number;
  /** Infinity if the outcome is unknown. */
  readonly return: number;
  readonly operation: O;
}

/** What a watch told in one piece: nothing but a revision, if it told only how far it is. */
export interface LogBatch {
  readonly revision: number;
  readonly changes: readonly LogChange[];
}

export interface LogChange {
  readonly key: string;
  /** Absent: it was deleted. */
  readonly value: string | undefined;
}

/** What one watch told, from a revision on. */
export interface WatchLog {
  readonly from: number;
  readonly batches: readonly LogBatch[];
}

/** What some clients and watches saw of one store. */
export interface History {
  readonly operations: readonly Recorded[];
  readonly watches: readonly WatchLog[];
  /** A watch from before the first operation to after the last. */
  readonly log: WatchLog;
}
