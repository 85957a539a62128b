import { expired, internalError, type StatusError } from "../../api/meta/v1/status-error.ts";
import type { Timer } from "../../base/clock.ts";
import { onSharedTicks } from "../../base/shared-ticks.ts";
import { convertStored } from "../objects/conversions.ts";
import type { Environment } from "../objects/environment.ts";
import type { AnyKind } from "../objects/object.ts";
import type { ObjectReader } from "../objects/reader.ts";
import { type Stored, UnreadableObject } from "../objects/stored.ts";
import type { ListOptions } from "../request/query.ts";
import type { Sink, StreamBody } from "../request/request.ts";
import { prefixOf } from "../verbs/list.ts";
import type { Selection } from "../verbs/selection.ts";
import type { CacheEvent, CacheWatcher, ResourceCache } from "./watch-cache.ts";
import type { WatchEncoding } from "./watch-encoding.ts";

export interface WatchRequest<Chunk = Uint8Array | string> {
  readonly kind: AnyKind;
  readonly namespace: string;
  readonly selection: Selection;
  readonly options: ListOptions;
  /** Milliseconds after which the watch ends by itself. */
  readonly timeoutMs: number;
  readonly encoding: WatchEncoding<Chunk>;
  /** Called when the bookmark was sent that ends the objects with which the watch began. */
  readonly onListed?: () => void;
}

interface WatchParts {
  readonly reader: ObjectReader;
  readonly environment: Pick<Environment, "clock">;
}

const bookmarkInterval = 60_000;
/** How many changes are looked at for what a webhook must convert. */
const mostConverted = 100;

/** The events of a watch, from the version it starts at until it ends. */
export function watchStream<Chunk>(
  parts: WatchParts,
  request: WatchRequest<Chunk>,
): StreamBody<Chunk> {
  const cache = parts.reader.cache.of(request.kind);
  return {
    start(sink) {
      const watch = new Watch(cache, request, { sink, parts });
      watch.begin();
      return () => watch.close();
    },
  };
}

/**
 * A watch and its client. Nothing is queued for a slow client: the watch keeps its place among the
 * cache's changes and continues from there; it ends when the cache has dropped them.
 */
class Watch<Chunk> implements CacheWatcher {
  readonly #cache: ResourceCache;
  readonly #request: WatchRequest<Chunk>;
  readonly #sink: Sink<Chunk>;
  readonly #prefix: string;
  readonly #parts: WatchParts;
  /** The client knows the changes up to this revision. */
  readonly #from: number;
  /** The initial events, which are sent before any change. */
  #initial: Iterator<Chunk> | undefined;
  /** The number of the next change to send. */
  #next = 0;
  #blocked = false;
  /** Whether a webhook is converting what is to be sent next. */
  #isConverting = false;
  /** The changes before this number have been converted. */
  #convertedUntil = 0;
  #bookmarked = 0;
  #timer: Timer | undefined;
  #endBookmarks = (): void => {};
  #closed = false;

  constructor(
    cache: ResourceCache,
    request: WatchRequest<Chunk>,
    { sink, parts }: { sink: Sink<Chunk>; parts: WatchParts },
  ) {
    this.#cache = cache;
    this.#request = request;
    this.#sink = sink;
    this.#parts = parts;
    this.#prefix = prefixOf(request.kind, request.namespace);
    this.#from = Number(request.options.resourceVersion);
    sink.onDrain(() => {
      this.#blocked = false;
      this.changed();
    });
  }

  /** There may be many watches: none has a field for it. */
  get isOfClient(): boolean {
    return true;
  }

  begin(): void {
    const { options, timeoutMs } = this.#request;
    const cache = this.#cache;
    const from = this.#from;
    if (options.sendInitialEvents ?? from === 0) {
      const objects = cache.list(this.#prefix);
      this.#initial = this.#initialEvents(objects);
      if (this.#request.kind.converter) this.#convert(objects);
      this.#next = cache.endOfEvents;
    } else if (from === 0) this.#next = cache.endOfEvents;
    else if (from >= cache.oldest) this.#next = cache.eventAfter(from);
    else {
      this.#fail(expired(`too old resource version: ${from} (${cache.oldest})`));
      return;
    }
    cache.watchers.add(this);
    this.#timer = this.#parts.environment.clock.setTimer(timeoutMs, () => this.#finish());
    if (options.allowWatchBookmarks)
      this.#endBookmarks = onSharedTicks(this.#parts.environment.clock, bookmarkInterval, () =>
        this.#bookmark(),
      );
    this.changed();
  }

  changed(): void {
    try {
      this.#sendAll();
    } catch (error) {
      if (error instanceof UnreadableObject) this.#parts.reader.metrics?.unreadable(error);
      this.#fail(internalError(error));
    }
  }

  /** Sends pending events until the client is blocked. */
  #sendAll(): void {
    const cache = this.#cache;
    if (this.#next < cache.firstEvent) {
      this.#parts.reader.metrics?.terminated(cache.kind);
      this.#finish();
      return;
    }
    if (this.#isConverting) return;
    while (this.#initial && !this.#blocked && !this.#closed) {
      const { done, value } = this.#initial.next();
      if (done) this.#initial = undefined;
      else this.#send(value);
    }
    while (this.#next < cache.endOfEvents && !this.#blocked && !this.#closed) {
      if (this.#request.kind.converter && this.#mustConvert()) return;
      this.#event(cache.eventAt(this.#next++) as CacheEvent);
    }
  }

  /** Whether a webhook must convert objects of the next changes first; this starts it. */
  #mustConvert(): boolean {
    const cache = this.#cache;
    if (this.#next < this.#convertedUntil) return false;
    const objects: Stored[] = [];
    const end = Math.min(cache.endOfEvents, this.#next + mostConverted);
    for (let i = this.#next; i < end; i++) {
      const { object, previous, revision } = cache.eventAt(i) as CacheEvent;
      if (revision <= this.#from || !object.key.startsWith(this.#prefix)) continue;
      objects.push(object);
      if (previous && this.#request.selection.selects) objects.push(previous);
    }
    this.#convertedUntil = end;
    this.#convert(objects);
    return this.#isConverting;
  }

  /** Converts objects, then sends what waits for them. As upstream, a failure ends the watch. */
  #convert(objects: readonly Stored[]): void {
    const { kind } = this.#request;
    if (!objects.some((stored) => stored.as(kind).needsConversion)) return;
    this.#isConverting = true;
    convertStored(kind, objects).then(
      () => {
        this.#isConverting = false;
        if (!this.#closed) this.changed();
      },
      () => this.#finish(),
    );
  }

  end(): void {
    this.#finish();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cache.watchers.delete(this);
    this.#timer?.cancel();
    this.#endBookmarks();
  }

  /** The objects as they are now, and the bookmark that ends them if the client requested it. */
  *#initialEvents(objects: readonly Stored[]): Generator<Chunk> {
    const { selection, kind, options, encoding, onListed } = this.#request;
    const { cache, metrics } = this.#parts.reader;
    const { revision } = cache;
    metrics?.initialEvents(this.#cache.kind, objects.length);
    for (const stored of objects) {
      const object = stored.as(kind);
      if (selection.matches(object.object)) yield encoding.event("ADDED", object);
    }
    if (!options.sendInitialEvents || !options.allowWatchBookmarks) return;
    this.#bookmarked = revision;
    yield encoding.bookmark(revision, true);
    onListed?.();
  }

  #event({ type, object, previous, revision }: CacheEvent): void {
    // The client may have requested a version in the future. It is not sent changes up to that version.
    if (revision <= this.#from || !object.key.startsWith(this.#prefix)) return;
    const { selection, kind, encoding } = this.#request;
    const current = object.as(kind);
    if (!selection.selects) {
      this.#send(encoding.event(type, current));
      return;
    }
    const before = previous?.as(kind);
    const isSelected = type !== "DELETED" && selection.matches(current.object);
    const wasSelected = before !== undefined && selection.matches(before.object);
    if (isSelected) this.#send(encoding.event(wasSelected ? "MODIFIED" : "ADDED", current));
    else if (wasSelected)
      this.#send(encoding.event("DELETED", type === "DELETED" ? current : before.at(revision)));
  }

  #send(chunk: Chunk): void {
    this.#blocked = !this.#sink.write(chunk);
  }

  #finish(): void {
    if (this.#closed) return;
    this.close();
    this.#sink.end();
  }

  #fail(error: StatusError): void {
    this.#sink.write(this.#request.encoding.error(error));
    this.#finish();
  }

  /** Sends a bookmark if the client has caught up with the cache since the last one. */
  #bookmark(): void {
    const { revision } = this.#parts.reader.cache;
    if (this.#blocked || this.#isConverting || this.#bookmarked === revision) return;
    this.#bookmarked = revision;
    this.#send(this.#request.encoding.bookmark(revision, false));
  }
}
