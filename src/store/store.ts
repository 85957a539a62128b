/** One key at some revision; revisions and version are counted as in etcd. */
export interface Entry {
  readonly key: string;
  /** Opaque; shared by reference, so neither the store nor a reader may change it. */
  readonly value: Uint8Array;
  /** The revision that created the key (again, if it had been deleted). */
  readonly createRevision: number;
  /** The revision that last wrote the key. */
  readonly modRevision: number;
  /** The number of writes since the key was created; 1 at creation. */
  readonly version: number;
}

/** A precondition: the key's mod revision must be this; 0 means that the key must be absent. */
interface Precondition {
  readonly ifRevision?: number;
}

export interface PutOp extends Precondition {
  readonly type: "put";
  readonly key: string;
  readonly value: Uint8Array;
  /** The store deletes the key this long after the commit, unless it is put again. */
  readonly ttlMs?: number;
}

export interface DeleteOp extends Precondition {
  readonly type: "delete";
  readonly key: string;
}

export type Op = PutOp | DeleteOp;

/** The result of a commit: all operations were applied, or none, because a precondition failed. */
export type CommitOutcome =
  | { readonly ok: true; readonly revision: number }
  | {
      readonly ok: false;
      readonly key: string;
      readonly current: Entry | undefined;
      readonly revision: number;
    };

export interface ListOptions {
  /** The revision to read; default (and 0): the current one. */
  readonly revision?: number;
  /** The maximum number of entries; default (and 0): all. */
  readonly limit?: number;
  /** Only keys after this one: the last key of the previous page. */
  readonly after?: string;
}

export interface ListResult {
  /** In the order of the keys' UTF-8 bytes. */
  readonly entries: readonly Entry[];
  /** The revision that was read. */
  readonly revision: number;
  readonly more: boolean;
  /** The number of keys with the prefix after this page. */
  readonly remaining: number;
}

export interface StoreEvent {
  readonly type: "put" | "delete";
  readonly key: string;
  /** The new version; undefined for a delete. */
  readonly entry: Entry | undefined;
  /** The previous version; undefined for a creation. */
  readonly previous: Entry | undefined;
  readonly revision: number;
}

/** The events of one commit under the watched prefix, in the order of the commit's operations. */
export interface WatchBatch {
  readonly revision: number;
  /** Empty only with `progress`. */
  readonly events: readonly StoreEvent[];
}

export interface SubscribeOptions {
  /** The last known revision: the first delivered commit is the one after it. */
  readonly from: number;
  /**
   * Also delivers an empty batch for a commit without changes under the prefix, or for the last of
   * several such commits. Commits of other processes are reported once `currentRevision` is requested.
   */
  readonly progress?: boolean;
}

export interface WatchOptions extends SubscribeOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /**
   * The maximum number of unread batches; beyond it, the watch fails with SlowWatcher. Default: 1024.
   */
  readonly buffer?: number;
}

/** Receives batches as they become durable; it must not throw, and never sees one revision twice. */
export interface Subscriber {
  batch(batch: WatchBatch): void;
  /** The store ended the subscription: Compacted, FutureRevision, Closed and the like. */
  end(error: StoreError): void;
}

/**
 * A revisioned, ordered map from keys to bytes.
 *
 * - A new store is at revision 1; each commit that changes something takes the next one.
 * - Keys are well-formed strings, ordered by their UTF-8 bytes.
 * - Reads, watches and conflicts show only what is durable; what was acknowledged is visible at once.
 * - Old revisions can be read and watched until they are compacted.
 */
export interface Store {
  /** The newest durable revision. */
  currentRevision(): Promise<number>;
  /** The key's entry, now or as of a revision. */
  get(key: string, revision?: number): Promise<Entry | undefined>;
  /** The entries whose key starts with the prefix. */
  list(prefix: string, options?: ListOptions): Promise<ListResult>;
  /**
   * Applies all operations in one revision once every precondition holds; a key may occur once.
   * Deleting an absent key changes nothing; a commit that changes nothing takes no revision.
   * Rejects with UnknownOutcome when the commit may or may not have been applied.
   */
  commit(ops: readonly Op[]): Promise<CommitOutcome>;
  /** Every commit after `from` that touches the prefix, each once, in order, one batch per commit. */
  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch>;
  /**
   * The same, pushed: a batch arrives before its commit is acknowledged to the writer, and nothing
   * arrives before this returns. The result ends the subscription, after which nothing arrives.
   */
  subscribe(prefix: string, options: SubscribeOptions, subscriber: Subscriber): () => void;
  /**
   * Whether the value of a key should be written again although it is the same, because new values are stored in
   * another way, such as with another encryption key. Absent if none ever should.
   */
  isStale?(key: string): Promise<boolean>;
  /** Forgets what was superseded at or before the revision, which itself stays readable. */
  compact(revision: number): Promise<void>;
  /** Waits for the commits under way, then ends watches with Closed; later calls fail with Closed. */
  close(): Promise<void>;
}

/**
 * - Compacted: the revision is no longer kept; `revision` is the oldest one that is.
 * - FutureRevision: the revision was not given yet; `revision` is the current one.
 * - UnknownOutcome: the commit may or may not have been applied.
 * - SlowWatcher: too many batches waited to be read; `revision` is the last one that was read.
 * - Unavailable: the store takes no writes (a disk fault came before); nothing was applied.
 * - NoSpace: the store is as large as it may be, and takes only what deletes; nothing was applied.
 * - Invalid: the request breaks the contract; nothing was applied.
 * - Locked: another process has the data directory open.
 * - Corrupt: the data directory is damaged or not ours.
 */
export type StoreErrorCode =
  | "Compacted"
  | "FutureRevision"
  | "UnknownOutcome"
  | "SlowWatcher"
  | "Unavailable"
  | "NoSpace"
  | "Invalid"
  | "Locked"
  | "Corrupt"
  | "Closed";

/** Every fault a store reports. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  /** The revision that goes with the code; 0 where the code has none. */
  readonly revision: number;

  constructor(
    code: StoreErrorCode,
    message: string,
    options: { readonly revision?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.revision = options.revision ?? 0;
  }
}

/** The error of every call after a store was closed. */
export const closedError = (): StoreError => new StoreError("Closed", "the store is closed");
