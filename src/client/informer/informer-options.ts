import type { CallOptions, SelectOptions, Selector } from "../call-options.ts";
import type { ObjectKey, ResourceKind } from "../resource-kind.ts";

/** Selects the objects of an informer and how they are cached. */
export interface InformerOptions<O> extends SelectOptions {
  /** Changes objects before they are cached; name, namespace, uid and resourceVersion must stay. */
  readonly transform?: ((object: O) => O) | undefined;
  /** Functions that return the indexed values of an object, by the name of the index. */
  readonly indexers?: Indexers<O> | undefined;
}

export type Indexers<O> = Readonly<Record<string, (object: O) => readonly string[]>>;

/**
 * Called for each change, in order. An error that a method throws is logged and does not affect other
 * handlers.
 */
export interface InformerHandler<O> {
  /** `isInitial`: the object existed before the handler was added. */
  added?(object: O, isInitial: boolean): void;
  /** At a resync, `object` and `old` are the same value. */
  updated?(object: O, old: O): void;
  /**
   * `isStale`: the watch missed the deletion; `object` is the last known state, not necessarily the
   * final one.
   */
  deleted?(object: O, isStale: boolean): void;
}

export interface HandlerOptions {
  /**
   * The interval of resyncs, which call `updated` for every object, in milliseconds. Default: no resync.
   */
  readonly resyncMs?: number | undefined;
}

/** A handler that was added to an informer. */
export interface HandlerRegistration {
  /** Whether the handler was called for all objects that existed when it was added. */
  readonly hasSynced: boolean;
  synced(options?: CallOptions): Promise<void>;
  remove(): void;
}

/** Reads the cached objects; no method sends a request. */
export interface CacheReader<O> {
  get(key: ObjectKey): O | undefined;
  list(options?: {
    readonly namespace?: string | undefined;
    readonly labelSelector?: Selector | undefined;
  }): readonly O[];
  /** Returns the objects with a value in an index; throws if there is no such index. */
  byIndex(index: string, value: string): readonly O[];
  /** Returns all values in an index. */
  indexValues(index: string): readonly string[];
}

/**
 * A cache of a kind's objects that list and watch requests keep up to date, with handlers for changes.
 */
export interface Informer<O> extends CacheReader<O> {
  readonly kind: ResourceKind<O>;
  /** Adds a handler: it is called for all existing objects, then for every change. */
  addHandler(handler: InformerHandler<O>, options?: HandlerOptions): HandlerRegistration;
  addIndexers(indexers: Indexers<O>): void;
  /** Whether the initial list is in the cache. */
  readonly hasSynced: boolean;
  synced(options?: CallOptions): Promise<void>;
  /** Resolves when the initial list is in the cache, or could not be had so far. */
  tried(options?: CallOptions): Promise<void>;
  /** The cache contains all changes up to this version; empty before the initial list. */
  readonly resourceVersion: string;
  /** Resolves when the cache contains all changes up to a version and handlers were called for them. */
  reached(resourceVersion: string, options?: CallOptions): Promise<void>;
  readonly health: InformerHealth;
  /** Releases the informer for this user; it stops when its last user has closed it. */
  close(): void;
}

/** The state of an informer's list and watch requests. */
export interface InformerHealth {
  /** `waiting`: a list or watch failed, and the informer backs off before it retries. */
  readonly state: "listing" | "watching" | "waiting" | "closed";
  /** When the server last sent something, in milliseconds since the epoch. */
  readonly lastActivityAt: number | undefined;
  /** The error after which it is waiting. */
  readonly lastError: unknown;
  /** The number of lists, relists included. */
  readonly lists: number;
  /** The number of watches that continued from the resourceVersion of the previous one. */
  readonly resumes: number;
  /** The number of watches that were aborted because the server sent nothing for `inactivityMs`. */
  readonly stalls: number;
  /** The number of changes that a relist found and no watch had sent. */
  readonly changesFoundByRelist: number;
}
