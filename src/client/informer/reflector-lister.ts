import { StatusError } from "../../api/meta/v1/status-error.ts";
import { DeadlineExceeded } from "../../base/clock.ts";
import { compareVersions } from "../resource-version.ts";
import type { WatchEvent } from "../watch-stream.ts";
import { InitialEvents, StreamingListUnsupported } from "./initial-events.ts";
import { listObjects } from "./list-objects.ts";
import {
  isExpired,
  isStreamingListUnsupported,
  isTooLarge,
  VersionLostError,
} from "./list-watch-errors.ts";
import { type MonitoredWatch, openWatch, type WatchRequest } from "./monitored-watch.ts";
import type { ReflectorOptions, ReflectorStore } from "./reflector.ts";

/** A streaming list that is complete; its watch continues with changes. */
export interface ListedStream<O> {
  readonly stream: MonitoredWatch<O>;
  /** Events that arrived in one batch with the final bookmark. */
  readonly rest: readonly WatchEvent<O>[];
}

/**
 * Lists the objects of a reflector: as a stream if the server supports that, otherwise page by page. A
 * list is never older than the last resourceVersion, so that the cache does not go back in time, except
 * when the server itself was restored.
 */
export class ReflectorLister<O> {
  readonly #source: ReflectorOptions<O>;
  readonly #store: ReflectorStore<O>;
  readonly #watchRequest: WatchRequest<O>;
  readonly #onStall: () => void;
  /**
   * Whether the last resourceVersion cannot be used even for a list: it is compacted, or newer than the
   * server's.
   */
  #isVersionLost = false;
  /**
   * Whether the server pages even lists of resourceVersion "0", which means that it has no watch cache.
   */
  #pagesAlways = false;
  /** The number of consecutive streaming lists that ended early. */
  #brokenStreams = 0;
  /** The number of consecutive lists that timed out. */
  #slowLists = 0;

  constructor(
    source: ReflectorOptions<O>,
    store: ReflectorStore<O>,
    {
      watchRequest,
      onStall,
    }: { readonly watchRequest: WatchRequest<O>; readonly onStall: () => void },
  ) {
    this.#source = source;
    this.#store = store;
    this.#watchRequest = watchRequest;
    this.#onStall = onStall;
  }

  /** Marks the last resourceVersion as useless for lists. */
  versionLost(): void {
    this.#isVersionLost = true;
  }

  /** Lists all objects; resolves with the stream if it was a streaming list. */
  async list(timeoutSeconds: number): Promise<ListedStream<O> | undefined> {
    const { streams } = this.#source;
    if (streams.areSupported && this.#brokenStreams < maxBrokenStreams) {
      try {
        return await this.#listByStream(timeoutSeconds);
      } catch (error) {
        if (error instanceof StreamingListUnsupported || isStreamingListUnsupported(error))
          streams.areSupported = false;
        else if ((isExpired(error) || isTooLarge(error)) && !this.#isVersionLost) {
          this.#isVersionLost = true;
          return this.list(timeoutSeconds);
        } else {
          this.#brokenStreams++;
          if (!(error instanceof StatusError) || error.code === 429) throw error;
        }
      }
    }
    await this.#listByPages();
    return undefined;
  }

  async #listByStream(timeoutSeconds: number): Promise<ListedStream<O>> {
    const { clock, transform } = this.#source;
    const start = clock.now();
    const minVersion = this.#isVersionLost ? "" : this.#store.version;
    const stream = openWatch(this.#watchRequest, {
      sendInitialEvents: true,
      resourceVersion: minVersion || undefined,
      timeoutSeconds,
    });
    try {
      const initial = new InitialEvents<O>(transform);
      for (;;) {
        const batch = await stream.next();
        if (!batch) throw new Error("the streaming list ended before its final bookmark");
        const rest = initial.take(batch);
        if (!rest) continue;
        this.#listed(initial.objects, { version: initial.version, minVersion, start });
        return { stream, rest };
      }
    } catch (error) {
      if (stream.isStalled) this.#onStall();
      await stream.close();
      throw error;
    }
  }

  async #listByPages(): Promise<void> {
    const { clock, inactivityMs } = this.#source;
    const timeoutMs = inactivityMs * 2 ** Math.min(this.#slowLists, maxDoublings);
    for (;;) {
      const start = clock.now();
      const minVersion = this.#isVersionLost ? "" : this.#store.version || "0";
      // Only an unpaged list of "not older than" is served from the server's watch cache.
      const pageSize =
        this.#pagesAlways || minVersion === "" || minVersion === "0" ? defaultPageSize : 0;
      try {
        const { transform } = this.#source;
        const listing = { ...this.#watchRequest, transform, timeoutMs };
        const how = { resourceVersion: minVersion, pageSize };
        const { objects, version, isPaged } = await listObjects(listing, how);
        if (minVersion === "0" && isPaged) this.#pagesAlways = true;
        this.#listed(objects, { version, minVersion, start });
        return;
      } catch (error) {
        if (error instanceof DeadlineExceeded) {
          this.#slowLists++;
          this.#onStall();
        }
        const isLost = isExpired(error) || isTooLarge(error) || error instanceof VersionLostError;
        if (!isLost || minVersion === "") throw error;
        this.#isVersionLost = true;
      }
    }
  }

  #listed(
    objects: Map<string, O>,
    { version, minVersion, start }: { version: string; minVersion: string; start: number },
  ): void {
    if (minVersion !== "" && (compareVersions(version, minVersion) ?? 0) < 0)
      throw new VersionLostError("the list is older than the requested resourceVersion");
    const { health, counts } = this.#store;
    this.#isVersionLost = false;
    this.#brokenStreams = 0;
    this.#slowLists = 0;
    health.lists++;
    counts.listed(objects.size, this.#source.clock.now() - start);
    this.#store.listed(objects, version);
  }
}

const defaultPageSize = 500;
/** After this many broken streams, the next list is paged. */
const maxBrokenStreams = 2;
/** Timeouts double up to this many times. */
const maxDoublings = 3;
