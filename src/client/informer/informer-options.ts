import type { CallOptions, SelectOptions, Selector } from "../call-options.ts";
import type { ObjectKey, ResourceKind } from "../resource-kind.ts";

/** What an informer follows, and how. */
export interface InformerOptions<O> extends SelectOptions {
  /** What is kept of an object; key, uid and version must stay. */
  readonly transform?: ((object: O) => O) | undefined;
  /** Values by which objects are looked up, by the name of the index. */
  readonly indexers?: Indexers<O> | undefined;
}

export type Indexers<O> = Readonly<Record<string, (object: O) => readonly string[]>>;

/** Is told what becomes of the objects, in order. What it throws is logged and concerns nobody else. */
export interface InformerHandler<O> {
  /** `isInitial`: it was there before the handler was. */
  added?(object: O, isInitial: boolean): void;
  /** `object` and `old` are the same where nothing changed: at a resync. */
  updated?(object: O, old: O): void;
  /** `isStale`: the deletion was not seen, and the object may have changed before it. */
  deleted?(object: O, isStale: boolean): void;
}

export interface HandlerOptions {
  /** How often the handler is told of all objects anew, in milliseconds; never if not given. */
  readonly resyncMs?: number | undefined;
}

/** A handler that is being told. */
export interface HandlerRegistration {
  /** Whether it was told of all that was there when it was added. */
  readonly hasSynced: boolean;
  synced(options?: CallOptions): Promise<void>;
  remove(): void;
}

/** Reads what an informer knows; none of it waits. */
export interface CacheReader<O> {
  get(key: ObjectKey): O | undefined;
  list(options?: {
    readonly namespace?: string | undefined;
    readonly labelSelector?: Selector | undefined;
  }): readonly O[];
  /** The objects that have a value in an index; throws where there is no such index. */
  byIndex(index: string, value: string): readonly O[];
  /** All values in an index. */
  indexValues(index: string): readonly string[];
}

/** The objects of a kind, kept up to date, and those who want to know of their changes. */
export interface Informer<O> extends CacheReader<O> {
  readonly kind: ResourceKind<O>;
  /** Tells a handler of all that is there, and of every change from then on. */
  addHandler(handler: InformerHandler<O>, options?: HandlerOptions): HandlerRegistration;
  addIndexers(indexers: Indexers<O>): void;
  /** Whether all that was there at the start is here. */
  readonly hasSynced: boolean;
  synced(options?: CallOptions): Promise<void>;
  /** The version up to which all changes are here; empty before the first. */
  readonly resourceVersion: string;
  /** Resolves when all changes up to a version are here and handlers were told of them. */
  reached(resourceVersion: string, options?: CallOptions): Promise<void>;
  readonly health: InformerHealth;
  /** Ends it for whoever asked for it; the last one ends it for all. */
  close(): void;
}

/** How an informer is doing. */
export interface InformerHealth {
  /** `waiting`: it could not list or watch, and will try again. */
  readonly state: "listing" | "watching" | "waiting" | "closed";
  /** When the server was last heard, in milliseconds since the epoch. */
  readonly lastHeardAt: number | undefined;
  /** Why it waits. */
  readonly lastError: unknown;
  /** How often it listed all objects. */
  readonly lists: number;
  /** How often it went on with a new watch where the last one ended. */
  readonly resumes: number;
  /** How often a watch was given up because nothing was heard. */
  readonly stalls: number;
  /** How many changes were found by listing anew, which no watch had told of. */
  readonly healed: number;
}
