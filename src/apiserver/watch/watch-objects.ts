import { expired, internalError, type StatusError } from "../../api/meta/v1/status-error.ts";
import type { Timer } from "../../base/clock.ts";
import { onSharedTicks } from "../../base/shared-ticks.ts";
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

  begin(): void {
    const { options, timeoutMs } = this.#request;
    const cache = this.#cache;
    const from = this.#from;
    if (options.sendInitialEvents ?? from === 0) {
      this.#initial = this.#initialEvents(cache.list(this.#prefix));
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
    while (this.#initial && !this.#blocked && !this.#closed) {
      const { done, value } = this.#initial.next();
      if (done) this.#initial = undefined;
      else this.#send(value);
    }
    while (this.#next < cache.endOfEvents && !this.#blocked && !this.#closed)
      this.#event(cache.eventAt(this.#next++) as CacheEvent);
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
    if (this.#blocked || this.#bookmarked === revision) return;
    this.#bookmarked = revision;
    this.#send(this.#request.encoding.bookmark(revision, false));
  }
}
