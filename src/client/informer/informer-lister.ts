import { StatusError } from "../../api/meta/v1/status-error.ts";
import { DeadlineExceeded } from "../../base/clock.ts";
import { compareVersions } from "../resource-version.ts";
import type { WatchEvent } from "../watch-stream.ts";
import { isExpired, isTooLarge, refusesStreams, VersionLost } from "./informer-faults.ts";
import { InitialEvents, StreamNotKnown } from "./informer-initial-events.ts";
import { listAll } from "./informer-listing.ts";
import type { InformerSink, InformerSource } from "./informer-source.ts";
import { type InformerStream, openStream, type Watching } from "./informer-stream.ts";

/** A list that came as a stream, which goes on with what changes. */
export interface ListedStream<O> {
  readonly stream: InformerStream<O>;
  /** What came with the end of the list. */
  readonly rest: readonly WatchEvent<O>[];
}

/**
 * Lists all objects of a source: as a stream where that is served, page by page otherwise. A list is not
 * older than what is known, so that nothing goes back in time; unless the server itself has.
 */
export class InformerLister<O> {
  readonly #source: InformerSource<O>;
  readonly #sink: InformerSink<O>;
  readonly #watching: Watching<O>;
  readonly #onStall: () => void;
  /** Whether the last version is of no use, not even for a list: it is forgotten, or not come to yet. */
  #isVersionLost = false;
  /** Whether the server cuts even those lists into pages for which it need not: it has no cache. */
  #pagesAlways = false;
  /** How many streams in a row did not come to the end of the list. */
  #brokenStreams = 0;
  /** How many lists in a row did not arrive in time. */
  #slowLists = 0;

  constructor(
    source: InformerSource<O>,
    sink: InformerSink<O>,
    { watching, onStall }: { readonly watching: Watching<O>; readonly onStall: () => void },
  ) {
    this.#source = source;
    this.#sink = sink;
    this.#watching = watching;
    this.#onStall = onStall;
  }

  /** The last version is of no use for a list. */
  versionLost(): void {
    this.#isVersionLost = true;
  }

  /** Lists all objects, and resolves with the stream they came in, if they did. */
  async list(timeoutSeconds: number): Promise<ListedStream<O> | undefined> {
    const { streams } = this.#source;
    if (streams.areServed && this.#brokenStreams < mostBrokenStreams) {
      try {
        return await this.#listByStream(timeoutSeconds);
      } catch (error) {
        if (error instanceof StreamNotKnown || refusesStreams(error)) streams.areServed = false;
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
    const { clock, keep } = this.#source;
    const start = clock.now();
    const asked = this.#isVersionLost ? "" : this.#sink.version;
    const stream = openStream(this.#watching, {
      sendInitialEvents: true,
      resourceVersion: asked || undefined,
      timeoutSeconds,
    });
    try {
      const initial = new InitialEvents<O>(keep);
      for (;;) {
        const batch = await stream.next();
        if (!batch) throw new Error("the stream ended before the list did");
        const rest = initial.take(batch);
        if (!rest) continue;
        this.#listed(initial.objects, { version: initial.version, asked, start });
        return { stream, rest };
      }
    } catch (error) {
      if (stream.isSilent) this.#onStall();
      await stream.close();
      throw error;
    }
  }

  async #listByPages(): Promise<void> {
    const { clock, inactivityMs } = this.#source;
    const patienceMs = inactivityMs * 2 ** Math.min(this.#slowLists, mostDoublings);
    for (;;) {
      const start = clock.now();
      const asked = this.#isVersionLost ? "" : this.#sink.version || "0";
      // A list not older than a version comes from the server's cache if it is asked for as a whole.
      const pageSize = this.#pagesAlways || asked === "" || asked === "0" ? usualPage : 0;
      try {
        const { keep } = this.#source;
        const listing = { ...this.#watching, keep, patienceMs };
        const how = { resourceVersion: asked, pageSize };
        const { objects, version, isPaged } = await listAll(listing, how);
        if (asked === "0" && isPaged) this.#pagesAlways = true;
        this.#listed(objects, { version, asked, start });
        return;
      } catch (error) {
        if (error instanceof DeadlineExceeded) {
          this.#slowLists++;
          this.#onStall();
        }
        const isLost = isExpired(error) || isTooLarge(error) || error instanceof VersionLost;
        if (!isLost || asked === "") throw error;
        this.#isVersionLost = true;
      }
    }
  }

  #listed(
    objects: Map<string, O>,
    { version, asked, start }: { version: string; asked: string; start: number },
  ): void {
    if (asked !== "" && (compareVersions(version, asked) ?? 0) < 0)
      throw new VersionLost("the list is older than what was asked for");
    const { health, counts } = this.#sink;
    this.#isVersionLost = false;
    this.#brokenStreams = 0;
    this.#slowLists = 0;
    health.lists++;
    counts.listed(objects.size, this.#source.clock.now() - start);
    this.#sink.listed(objects, version);
  }
}

const usualPage = 500;
/** After so many streams that broke, pages are tried. */
const mostBrokenStreams = 2;
/** How often the patience with lists that do not arrive is doubled. */
const mostDoublings = 3;
