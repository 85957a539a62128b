import type { Store } from "../../store/store.ts";
import type { ReadMetrics } from "../metrics/read-metrics.ts";
import type { ResourceCache, WatchCache } from "../watch/watch-cache.ts";
import { type Address, keyOf, notFoundAt } from "./address.ts";
import { convertStored } from "./conversions.ts";
import type { AnyKind } from "./object.ts";
import type { Resources } from "./resources.ts";
import { Stored } from "./stored.ts";

/**
 * A kind as a value that carries the types of its objects, as read and as written: every kind of `api`
 * is one.
 */
export interface KindOf<O, I = unknown> {
  readonly $value?: O;
  readonly $input?: I;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** Where an object of a kind is; cluster-scoped kinds have no namespace. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/**
 * Reads objects by kind: `reader.get(Namespace, { name })`. Objects are frozen and shared. A kind that is
 * not served has none.
 */
export interface Reader {
  /** Whether the server serves the kind. */
  serves(kind: KindOf<unknown>): boolean;
  /** Waits until the cache has caught up with the store; false if that takes too long. */
  catchUp(): Promise<boolean>;
  /** The object as of this call, or later. */
  get<O>(kind: KindOf<O>, key: ObjectKey): Promise<O | undefined>;
  /** The object as the cache has it. Only if the cache has none, this waits for the store's revision. */
  getCachedFirst<O>(kind: KindOf<O>, key: ObjectKey): Promise<O | undefined>;
  /** The object as the cache has it, which may be behind the store. */
  getCached<O>(kind: KindOf<O>, key: ObjectKey): O | undefined;
  /** The objects of a namespace, or of all, by name; behind the store only if the cache cannot follow. */
  list<O>(kind: KindOf<O>, namespace?: string): Promise<readonly O[]>;
  /** The same as the cache has it now. */
  listCached<O>(kind: KindOf<O>, namespace?: string): readonly O[];
  /** The same without objects that cannot be decoded, which the server's own work skips. */
  listReadable<O>(kind: KindOf<O>, namespace?: string): readonly O[];
}

export interface ReaderOptions {
  readonly cache: WatchCache;
  readonly store: Store;
  readonly resources: Resources;
  readonly metrics?: ReadMetrics;
}

/** Reads objects, typed by kind or as they are stored, from the watch cache and behind it the store. */
export class ObjectReader implements Reader {
  readonly cache: WatchCache;
  readonly store: Store;
  readonly metrics: ReadMetrics | undefined;
  readonly #resources: Resources;

  constructor({ cache, store, resources, metrics }: ReaderOptions) {
    this.cache = cache;
    this.store = store;
    this.metrics = metrics;
    this.#resources = resources;
  }

  /** The object at an address as of this call, or later. */
  async find(address: Address): Promise<Stored | undefined> {
    const { kind } = address;
    const key = keyOf(address);
    const stored = await this.#findAt(kind, key);
    if (stored && kind.converter) await convertStored(kind, [stored]);
    return stored;
  }

  async #findAt(kind: AnyKind, key: string): Promise<Stored | undefined> {
    if (await this.cache.fresh()) return this.cache.of(kind).get(key)?.as(kind);
    const entry = await this.store.get(key);
    return entry && new Stored(kind, entry);
  }

  /** The same; throws NotFound if there is none. */
  async read(address: Address): Promise<Stored> {
    const stored = await this.find(address);
    if (!stored) throw notFoundAt(address);
    return stored;
  }

  /** The same, converted by the webhook of its kind once more. */
  async readAnew(address: Address): Promise<Stored> {
    const { kind } = address;
    const stored = await this.#findAt(kind, keyOf(address));
    if (!stored) throw notFoundAt(address);
    const anew = new Stored(kind, stored.entry);
    await convertStored(kind, [anew]);
    if (stored.needsConversion) stored.setConverted(anew.object);
    return anew;
  }

  /** The object at an address as the cache has it. */
  findCached(address: Address): Stored | undefined {
    return this.cache.of(address.kind).get(keyOf(address))?.as(address.kind);
  }

  /** The cached objects and latest changes of a kind; undefined if the kind is not served. */
  cacheOf(kind: KindOf<unknown>): ResourceCache | undefined {
    return this.serves(kind) ? this.cache.of(anyKind(kind)) : undefined;
  }

  serves({ group, version, plural }: KindOf<unknown>): boolean {
    return this.#resources.find(group, version, plural) !== undefined;
  }

  catchUp(): Promise<boolean> {
    return this.cache.fresh();
  }

  async get<O>(kind: KindOf<O>, key: ObjectKey): Promise<O | undefined> {
    if (!this.serves(kind)) return undefined;
    const stored = await this.find(addressOf(kind, key));
    return stored?.object as O | undefined;
  }

  async getCachedFirst<O>(kind: KindOf<O>, key: ObjectKey): Promise<O | undefined> {
    return this.getCached(kind, key) ?? (await this.get(kind, key));
  }

  getCached<O>(kind: KindOf<O>, key: ObjectKey): O | undefined {
    return this.findCached(addressOf(kind, key))?.object as O | undefined;
  }

  async list<O>(kind: KindOf<O>, namespace = ""): Promise<readonly O[]> {
    await this.cache.fresh();
    return this.listCached(kind, namespace);
  }

  listCached<O>(kind: KindOf<O>, namespace = ""): readonly O[] {
    const any = anyKind(kind);
    return this.#cached(any, namespace).map((stored) => stored.as(any).object as O);
  }

  listReadable<O>(kind: KindOf<O>, namespace = ""): readonly O[] {
    const any = anyKind(kind);
    const readable = this.#cached(any, namespace).filter(({ isReadable }) => isReadable);
    return readable.map((stored) => stored.as(any).object as O);
  }

  #cached(kind: AnyKind, namespace: string): readonly Stored[] {
    const cache = this.cache.of(kind);
    return cache.list(namespace === "" ? cache.prefix : `${cache.prefix}${namespace}/`);
  }
}

/** The address of an object of a kind. */
export const addressOf = (kind: KindOf<unknown>, { namespace = "", name }: ObjectKey): Address => ({
  kind: anyKind(kind),
  namespace,
  name,
});

/** A kind without the type of its objects. The server handles objects of all kinds alike. */
export const anyKind = (kind: KindOf<unknown>): AnyKind => kind as unknown as AnyKind;
