import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { type Store, StoreError, type StoreEvent, type WatchBatch } from "../../store/store.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { RecentObjects } from "../objects/recent-objects.ts";
import { Stored, type StoredEntry, storedKind } from "../objects/stored.ts";
import { WrittenObjects } from "../objects/written-objects.ts";
import { changesSince } from "./changes-since.ts";
import { ConvertedKinds } from "./converted-kinds.ts";
import { ListSnapshots } from "./list-snapshots.ts";
import { SortedObjects } from "./sorted-objects.ts";
import { Unclaimed } from "./unclaimed.ts";

/** A change of one object. */
export interface CacheEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  /** The object after the change; for a deletion the last object, as of the deletion's revision. */
  readonly object: Stored;
  readonly previous: Stored | undefined;
}

/** Is notified of changes of a resource; it must not throw. */
export interface CacheWatcher {
  /** Called after each change: `eventAt` has it. */
  changed(): void;
  /** No more events will come: start again from a list. */
  end(reason: string): void;
  /** Whether it is the watch of a client; others are the server's own. */
  readonly isOfClient?: boolean;
}

/** How many of the latest changes are kept for watches that start in the past. */
export const historyLength = 2000;

/**
 * The objects of one kind as of the cache's revision, and its latest changes. Changes are counted from
 * the first one on, so that a watcher keeps its place by a number: after a, b and c, of which a is no
 * longer kept, `firstEvent` is 1, `eventAt(1)` is b and `endOfEvents` is 3.
 */
export class ResourceCache {
  readonly kind: AnyKind;
  readonly prefix: string;
  readonly watchers = new Set<CacheWatcher>();
  #objects = new SortedObjects();
  #events: CacheEvent[] = [];
  #forgotten = 0;
  /** Changes after this revision are all in `#events`. */
  #complete: number;
  /** The objects have been as they are since this revision. */
  #unchangedSince: number;
  #bytes = 0;
  readonly #snapshots: ListSnapshots | undefined;
  /** Whether a fork shares the objects and changes, so that they must be copied before the next change. */
  #isShared = false;

  constructor(kind: AnyKind, complete: number, snapshots?: ListSnapshots) {
    this.kind = kind;
    this.prefix = `/registry/${kind.storagePrefix}/`;
    this.#complete = complete;
    this.#unchangedSince = complete;
    this.#snapshots = snapshots;
  }

  get size(): number {
    return this.#objects.size;
  }
  /** The bytes of all objects as they are stored. */
  get bytes(): number {
    return this.#bytes;
  }
  get(key: string): Stored | undefined {
    return this.#objects.get(key);
  }
  /** The oldest revision a watch can start from. */
  get oldest(): number {
    return this.#complete;
  }

  /** The objects whose key starts with the prefix, in order of their keys. */
  list(prefix: string): readonly Stored[] {
    return this.#objects.list(prefix);
  }

  /** The same as of a revision that the cache has reached; undefined if the cache no longer has it. */
  listAt(prefix: string, revision: number): readonly Stored[] | undefined {
    if (revision >= this.#unchangedSince) return this.list(prefix);
    return this.#snapshots?.find(this, prefix, revision);
  }

  /** Keeps the list that `listAt` returns now, for a client that reads it page by page. */
  keepList(prefix: string, revision: number): void {
    if (revision < this.#unchangedSince) return;
    this.#snapshots?.keep(this, prefix, this.#unchangedSince);
  }

  /** The same without objects that cannot be decoded, which the server's own work skips. */
  readable(prefix: string): readonly Stored[] {
    return this.list(prefix).filter(({ isReadable }) => isReadable);
  }

  /** The number of the oldest change that is still kept. */
  get firstEvent(): number {
    return this.#forgotten;
  }
  /** The number that the next change will have. */
  get endOfEvents(): number {
    return this.#forgotten + this.#events.length;
  }
  eventAt(number: number): CacheEvent | undefined {
    return this.#events[number - this.#forgotten];
  }
  /** The number of the first change after a revision. */
  eventAfter(revision: number): number {
    const events = this.#events;
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle] as CacheEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#forgotten + low;
  }

  /** A copy for a forked server, which changes independently and has no watchers yet. */
  fork(kind: AnyKind = this.kind, snapshots?: ListSnapshots): ResourceCache {
    const fork = new ResourceCache(kind, this.#complete, snapshots);
    fork.#unchangedSince = this.#unchangedSince;
    fork.#objects = this.#objects;
    fork.#events = this.#events;
    fork.#forgotten = this.#forgotten;
    fork.#bytes = this.#bytes;
    fork.#isShared = true;
    this.#isShared = true;
    return fork;
  }

  /** Adds an object of the list with which the cache starts. */
  load(object: Stored): void {
    this.#own();
    this.#bytes += object.size;
    this.#objects.set(object);
  }

  /** `written` is the object of the change, if this server has just written it. */
  apply(change: StoreEvent, written?: ApiObject): void {
    const { key, entry, revision } = change;
    const previous = this.#objects.get(key);
    if (!entry && !previous) return;
    this.#own();
    this.#snapshots?.change(this, previous, revision);
    this.#unchangedSince = Math.max(this.#unchangedSince, revision);
    const object = entry
      ? new Stored(this.kind, entry, written)
      : (previous as Stored).at(revision);
    this.#bytes += (entry ? object.size : 0) - (previous?.size ?? 0);
    if (entry) this.#objects.set(object);
    else this.#objects.delete(key);
    const type = !entry ? "DELETED" : previous ? "MODIFIED" : "ADDED";
    const event: CacheEvent = { type, revision, object, previous };
    this.#remember(event);
    for (const watcher of this.watchers) this.#notify(watcher);
  }

  /** Ends a watcher that throws, so that the others are still notified. */
  #notify(watcher: CacheWatcher): void {
    try {
      watcher.changed();
    } catch (error) {
      this.watchers.delete(watcher);
      watcher.end(errorMessage(error));
    }
  }

  /** Marks the changes before a revision as incomplete: no watch can start there. */
  skipTo(revision: number): void {
    this.#complete = revision;
    this.#unchangedSince = revision;
    this.#snapshots?.drop(this);
  }

  /** Ends all watchers: no more changes will come. */
  end(reason: string): void {
    this.#snapshots?.drop(this);
    for (const watcher of this.watchers) watcher.end(reason);
    this.watchers.clear();
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#objects = this.#objects.copy();
    this.#events = this.#events.slice();
    this.#isShared = false;
  }

  #remember(event: CacheEvent): void {
    this.#events.push(event);
    if (this.#events.length < historyLength * 2) return;
    this.#complete = (this.#events[historyLength - 1] as CacheEvent).revision;
    this.#events = this.#events.slice(historyLength);
    this.#forgotten += historyLength;
  }
}

/** The store that a cache follows, and the clock by which it waits. */
export interface CacheSource {
  readonly store: Store;
  readonly clock: Clock;
}

/** How many revisions of the store's history are read at start, so that watches can be resumed. */
const rewind = 1000;

/** All objects of the store, kept up to date: reads and watches are served from here. */
export class WatchCache {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #resources = new Map<string, ResourceCache>();
  readonly #byKind = new Map<AnyKind, ResourceCache>();
  /** The entries of kinds that are not served. */
  readonly #unclaimed: Unclaimed;
  /** The objects of this server's commits that are under way. */
  readonly written = new WrittenObjects();
  /** The objects that were updated last. */
  readonly recent = new RecentObjects();
  /** The kinds whose objects a webhook converts. */
  readonly converted: ConvertedKinds;
  readonly #snapshots: ListSnapshots;
  #revision: number;
  #unsubscribe: () => void = () => {};
  readonly #waiting = new Set<{ revision: number; done: () => void }>();
  #ended: string | undefined;
  /** Called after each batch that the store delivers. */
  onChange: (() => void) | undefined;
  /** Called once, before the next batch. */
  beforeChange: (() => void) | undefined;

  private constructor(
    { store, clock }: CacheSource,
    start: {
      readonly revision: number;
      readonly unclaimed: Unclaimed;
      readonly snapshots: ListSnapshots;
      readonly resources: Iterable<ResourceCache>;
    },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.converted = new ConvertedKinds(clock);
    this.#revision = start.revision;
    this.#unclaimed = start.unclaimed;
    this.#snapshots = start.snapshots;
    for (const resource of start.resources) this.#place(resource);
  }

  /** Reads the store as it was a little while ago, and follows it from there. */
  static async open(store: Store, clock: Clock, kinds: readonly AnyKind[]): Promise<WatchCache> {
    const current = await store.currentRevision();
    const list = await listBack(store, current);
    const { revision } = list;
    const stored = new Set(kinds.filter(({ isStored }) => isStored).map(storedKind));
    const snapshots = new ListSnapshots(clock);
    const resources = [...stored].map((kind) => new ResourceCache(kind, revision, snapshots));
    const unclaimed = new Unclaimed(revision);
    const start = { revision, unclaimed, snapshots, resources };
    const cache = new WatchCache({ store, clock }, start);
    for (const entry of list.entries) {
      const resource = cache.#resourceOf(entry.key);
      if (resource) resource.load(new Stored(resource.kind, entry));
      else cache.#unclaimed.load(entry);
    }
    cache.#follow();
    await cache.reach(current);
    return cache;
  }

  /**
   * A cache of a fork of the store, without reading it; `kindOf` returns the kind as which the fork
   * serves objects of a kind.
   */
  fork(source: CacheSource, kindOf: (kind: AnyKind) => AnyKind): WatchCache {
    const snapshots = new ListSnapshots(source.clock);
    const resources = Array.from(this.#byKind.values(), (cache) =>
      cache.fork(kindOf(cache.kind), snapshots),
    );
    const unclaimed = this.#unclaimed.fork();
    const start = { revision: this.#revision, unclaimed, snapshots, resources };
    const fork = new WatchCache(source, start);
    fork.#follow();
    return fork;
  }

  get revision(): number {
    return this.#revision;
  }
  /** Whether changes of the store still arrive here. */
  get isFollowing(): boolean {
    return this.#ended === undefined;
  }

  /** All kinds that are stored, with their objects. */
  resources(): Iterable<ResourceCache> {
    return this.#byKind.values();
  }
  /** The kind of the object at a key. */
  kindAt(key: string): AnyKind | undefined {
    return this.#resourceOf(key)?.kind;
  }

  /** The objects of a kind; empty for a kind that is no longer served. */
  of(kind: AnyKind): ResourceCache {
    const stored = storedKind(kind);
    return (
      this.#byKind.get(stored) ??
      this.#resources.get(stored.storagePrefix) ??
      new ResourceCache(stored, this.#revision)
    );
  }

  /** The objects of a kind under a prefix as of a revision; undefined if the cache does not have them. */
  listAt(kind: AnyKind, prefix: string, revision: number): readonly Stored[] | undefined {
    return revision > this.#revision ? undefined : this.of(kind).listAt(prefix, revision);
  }

  /** The entry at a key that belongs to no kind. */
  unclaimed(key: string): StoredEntry | undefined {
    return this.#unclaimed.get(key);
  }

  /**
   * Adds a kind with its stored objects and latest changes, so that watches can be resumed. Watches of
   * a kind that was stored under the same prefix end.
   */
  add(kind: AnyKind): void {
    this.remove(kind);
    const cache = new ResourceCache(kind, this.#unclaimed.since, this.#snapshots);
    const { entries, events } = this.#unclaimed.claim(cache.prefix);
    for (const entry of entries) cache.load(new Stored(kind, entry));
    for (const event of events) cache.apply(event);
    this.#place(cache);
  }

  /** Removes a kind; its entries are kept. */
  remove({ storagePrefix }: AnyKind): void {
    const cache = this.#resources.get(storagePrefix);
    if (!cache) return;
    this.#resources.delete(storagePrefix);
    this.#byKind.delete(cache.kind);
    const entries = cache.list(cache.prefix).map(({ entry }) => entry);
    this.#unclaimed.putBack(entries, this.#revision);
    cache.end("the resource is no longer served as it was");
  }

  #place(cache: ResourceCache): void {
    this.#resources.set(cache.kind.storagePrefix, cache);
    this.#byKind.set(cache.kind, cache);
  }

  /** Resolves when the cache has caught up with the store; false if that takes too long. */
  async fresh(): Promise<boolean> {
    return this.#awaited(await this.#store.currentRevision());
  }

  /** Resolves when the cache has reached a revision, or to false after three seconds. */
  async reach(revision: number): Promise<boolean> {
    if (this.#revision >= revision) return true;
    // Some stores report progress without changes only when their revision is requested.
    this.#store.currentRevision().catch(() => {});
    return this.#awaited(revision);
  }

  async #awaited(revision: number): Promise<boolean> {
    if (this.#revision >= revision) return true;
    return new Promise((resolve) => {
      const finish = (reached: boolean) => {
        timer.cancel();
        this.#waiting.delete(waiting);
        resolve(reached);
      };
      const waiting = { revision, done: () => finish(true) };
      const timer = this.#clock.setTimer(3000, () => finish(false));
      this.#waiting.add(waiting);
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#finish("the server is shutting down");
  }

  #follow(): void {
    this.#unsubscribe = this.#store.subscribe(
      "/registry/",
      { from: this.#revision, progress: true },
      { batch: (batch) => this.#receive(batch), end: (error) => this.#end(error) },
    );
  }

  #resourceOf(key: string): ResourceCache | undefined {
    const parts = key.split("/");
    return this.#resources.get(parts[2] ?? "") ?? this.#resources.get(`${parts[2]}/${parts[3]}`);
  }

  #receive({ revision, events }: WatchBatch): void {
    const before = this.beforeChange;
    this.beforeChange = undefined;
    before?.();
    for (const event of events) this.#apply(event);
    this.#revision = revision;
    for (const waiting of this.#waiting) if (waiting.revision <= revision) waiting.done();
    this.onChange?.();
  }

  #apply(event: StoreEvent): void {
    const resource = this.#resourceOf(event.key);
    if (resource) resource.apply(event, event.entry && this.written.get(event.entry.value));
    else this.#unclaimed.apply(event);
  }

  #end(error: StoreError): void {
    if (error.code === "Compacted") void this.#startAgain();
    else this.#finish(error.message);
  }

  /**
   * Lists the store again. It has compacted changes that the cache missed, for instance because it was
   * unreachable for long.
   */
  async #startAgain(): Promise<void> {
    try {
      const list = await this.#store.list("/registry/");
      if (this.#ended !== undefined) return;
      const events = changesSince(this.#known(), list);
      for (const cache of this.#byKind.values()) cache.skipTo(list.revision);
      this.#receive({ revision: list.revision, events });
      this.#unclaimed.putBack([], list.revision);
      this.#follow();
    } catch {
      // The health checks report the state of the store.
      if (this.#ended !== undefined) return;
      const timer = this.#clock.setTimer(1000, () => void this.#startAgain());
      this.#unsubscribe = () => timer.cancel();
    }
  }

  /** All entries of the cache, by key. */
  #known(): Map<string, StoredEntry> {
    const known = new Map<string, StoredEntry>();
    for (const cache of this.#byKind.values())
      for (const { entry } of cache.list(cache.prefix)) known.set(entry.key, entry);
    for (const entry of this.#unclaimed.entries()) known.set(entry.key, entry);
    return known;
  }

  #finish(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const cache of this.#byKind.values()) cache.end(reason);
  }
}

async function listBack(store: Store, current: number) {
  try {
    return await store.list("/registry/", { revision: Math.max(current - rewind, 1) });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "Compacted") throw error;
    return store.list("/registry/", { revision: error.revision });
  }
}
