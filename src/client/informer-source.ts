import { StatusError } from "../api/meta/v1/status-error.ts";
import { type Backoff, delaysWithReset } from "../base/backoff.ts";
import { type Clock, DeadlineExceeded, sleep, withDeadline } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { SelectOptions, WatchOptions } from "./call-options.ts";
import type { Client } from "./client.ts";
import { forwardClock } from "./forward-clock.ts";
import type { InformerHealth } from "./informer.ts";
import type { ObjectEvent } from "./informer-changes.ts";
import {
  isExpired,
  isTooLarge,
  refusesStreams,
  remedyOf,
  ShortWatch,
  VersionLost,
} from "./informer-faults.ts";
import { InitialEvents, StreamNotKnown } from "./informer-initial-events.ts";
import { type Listing, listAll } from "./informer-listing.ts";
import { type InformerStream, openStream } from "./informer-stream.ts";
import type { KubernetesObject, ResourceKind } from "./resource-kind.ts";
import { compareVersions } from "./resource-version.ts";
import type { WatchEvent } from "./watch-stream.ts";

/** Where objects come from, and how they are asked for. */
export interface InformerSource<O> {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly kind: ResourceKind<O>;
  readonly select: SelectOptions;
  /** What is kept of an object. */
  readonly keep: (object: O) => O;
  /** After so many milliseconds without a word a connection is given up. */
  readonly inactivityMs: number;
  /** Remembers that a kind's server does not know streaming lists. */
  readonly streams: { areServed: boolean };
}

/** Who is told what comes from a source. */
export interface InformerSink<O> {
  /** The version up to which all changes have come; empty before the first list. */
  readonly version: string;
  /** All objects as of a version. */
  listed(objects: readonly O[], version: string): void;
  /** A change after that; maybe one that is known. */
  happened(event: ObjectEvent<O>): void;
  /** There is no change up to this version that was not told. */
  progressed(version: string): void;
  readonly health: SourceHealth;
  readonly counts: SourceCounts;
}

/** How a source is doing, kept by itself. */
export type SourceHealth = {
  -readonly [Name in keyof Omit<InformerHealth, "healed">]: InformerHealth[Name];
};

/** Is told of what is worth counting. */
export interface SourceCounts {
  listed(items: number, ms: number): void;
  watched(events: number, ms: number): void;
  resumed(): void;
  stalled(): void;
  shortWatch(): void;
}

/**
 * Lists and watches until the signal aborts. It never gives up: after a failure it waits and goes on
 * from the last version, or lists anew where that is not enough.
 */
export async function follow<O>(
  source: InformerSource<O>,
  sink: InformerSink<O>,
  signal: AbortSignal,
): Promise<void> {
  const follower = new Follower(source, sink, signal);
  while (!signal.aborted) await follower.step();
}

class Follower<O> {
  readonly #source: InformerSource<O>;
  readonly #sink: InformerSink<O>;
  readonly #signal: AbortSignal;
  readonly #nextDelay: () => number;
  readonly #onHeard: () => void;
  #next: "list" | "watch" = "list";
  /** Whether the last version is of no use, not even for a list. */
  #isVersionLost = false;
  /** Whether the server cuts even those lists into pages for which it need not: it has no cache. */
  #pagesAlways = false;
  /** How many watches in a row ended without a word. */
  #silentWatches = 0;
  /** How many lists in a row did not arrive in time. */
  #slowLists = 0;

  constructor(source: InformerSource<O>, sink: InformerSink<O>, signal: AbortSignal) {
    this.#source = source;
    this.#sink = sink;
    this.#signal = signal;
    const clock = forwardClock(source.clock);
    this.#nextDelay = delaysWithReset(backoff, source.random, { clock, after: backoffResetMs });
    this.#onHeard = () => {
      sink.health.lastHeardAt = source.clock.now();
    };
  }

  /** A list and a watch, or a watch that goes on where the last one ended; then what a failure asks for. */
  async step(): Promise<void> {
    const { health } = this.#sink;
    try {
      let stream: InformerStream<O> | undefined;
      if (this.#next === "list") {
        health.state = "listing";
        stream = await this.#list();
        this.#next = "watch";
      } else {
        await this.#probe();
        health.resumes++;
        this.#sink.counts.resumed();
      }
      health.state = "watching";
      await this.#watch(stream);
      health.lastError = undefined;
    } catch (error) {
      if (!this.#signal.aborted) await this.#recover(error);
    }
  }

  async #list(): Promise<InformerStream<O> | undefined> {
    const { streams } = this.#source;
    if (streams.areServed) {
      try {
        return await this.#streamAll();
      } catch (error) {
        const isForgotten = isExpired(error) || isTooLarge(error);
        if (isForgotten && this.#lastVersion() !== "") {
          this.#isVersionLost = true;
          return await this.#streamAll();
        }
        if (error instanceof StreamNotKnown || refusesStreams(error)) streams.areServed = false;
        else if (!(error instanceof StatusError) || error.code === 429) throw error;
      }
    }
    await this.#listPages();
    return undefined;
  }

  /** A list in the form of a watch that begins with all objects, and goes on with what changes. */
  async #streamAll(): Promise<InformerStream<O>> {
    const { clock, keep } = this.#source;
    const start = clock.now();
    const asked = this.#lastVersion();
    const stream = this.#open({ sendInitialEvents: true, resourceVersion: asked || undefined });
    try {
      const initial = new InitialEvents<O>(keep);
      for (;;) {
        const batch = await stream.next();
        if (!batch) throw new StreamNotKnown();
        const rest = initial.take(batch);
        if (!rest) continue;
        this.#listed(initial.objects(), { version: initial.version, asked, start });
        this.#receive(rest, initial.version);
        return stream;
      }
    } catch (error) {
      await stream.close();
      if (stream.isSilent) this.#stalled();
      throw error;
    }
  }

  async #listPages(): Promise<void> {
    const { clock, inactivityMs } = this.#source;
    const listing: Listing<O> = {
      ...this.#source,
      patienceMs: inactivityMs * 2 ** Math.min(this.#slowLists, longestPatience),
      signal: this.#signal,
      onHeard: this.#onHeard,
    };
    for (;;) {
      const start = clock.now();
      const asked = this.#isVersionLost ? "" : this.#sink.version || "0";
      // A list not older than a version comes from the server's cache if it is asked for as a whole.
      const pageSize = this.#pagesAlways || asked === "" || asked === "0" ? usualPage : 0;
      try {
        const { objects, version, isPaged } = await listAll(listing, {
          resourceVersion: asked,
          pageSize,
        });
        if (asked === "0" && isPaged) this.#pagesAlways = true;
        this.#slowLists = 0;
        this.#listed(objects, { version, asked, start });
        return;
      } catch (error) {
        if (error instanceof DeadlineExceeded) {
          this.#slowLists++;
          this.#stalled();
        }
        const isForgotten = isExpired(error) || isTooLarge(error) || error instanceof VersionLost;
        if (!isForgotten || asked === "") throw error;
        this.#isVersionLost = true;
      }
    }
  }

  #listed(
    objects: readonly O[],
    { version, asked, start }: { version: string; asked: string; start: number },
  ): void {
    if (asked !== "" && (compareVersions(version, asked) ?? 0) < 0)
      throw new VersionLost("the list is older than what was asked for");
    const { health, counts } = this.#sink;
    this.#isVersionLost = false;
    this.#silentWatches = 0;
    health.lists++;
    counts.listed(objects.length, this.#source.clock.now() - start);
    this.#sink.listed(objects, version);
  }

  /** Takes what a watch tells until it ends. */
  async #watch(begun?: InformerStream<O>): Promise<void> {
    const { clock } = this.#source;
    const begin = this.#sink.version;
    const stream = begun ?? this.#open({ resourceVersion: begin });
    const start = clock.now();
    let events = 0;
    try {
      for (;;) {
        const batch = await stream.next();
        if (!batch) break;
        events += batch.length;
        this.#receive(batch, begin);
      }
      const took = clock.now() - start;
      if (events === 0 && !begun && took >= 0 && took < shortestWatchMs) throw new ShortWatch();
    } catch (error) {
      if (!stream.isSilent) throw error;
      this.#stalled();
      if (stream.batches === 0) throw error;
    } finally {
      this.#silentWatches = stream.batches === 0 ? this.#silentWatches + 1 : 0;
      this.#sink.counts.watched(events, clock.now() - start);
      await stream.close();
    }
  }

  #receive(batch: readonly WatchEvent<O>[], begin: string): void {
    const { keep, log } = this.#source;
    for (const event of batch) {
      const { metadata } = event.object as Partial<KubernetesObject>;
      if (!metadata) {
        log.warn("an event without metadata was left out", { type: event.type });
      } else if (event.type === "BOOKMARK") {
        const version = metadata.resourceVersion ?? "";
        if ((compareVersions(version, begin) ?? 0) < 0)
          throw new VersionLost("the server is at a version before that of the watch");
        this.#sink.progressed(version);
      } else this.#sink.happened({ type: event.type, object: keep(event.object) });
    }
  }

  /**
   * A server that was restored may be silent for long: nothing is newer than what is asked for. So when
   * nothing is heard again and again, it is asked how far it has come.
   */
  async #probe(): Promise<void> {
    if (this.#silentWatches < 2) return;
    const { client, clock, kind, select, inactivityMs } = this.#source;
    const { metadata } = await withDeadline(
      { clock, ms: inactivityMs, signal: this.#signal },
      (signal) => client.list(kind, { ...select, limit: 1, signal }),
    );
    this.#silentWatches = 0;
    this.#onHeard();
    if ((compareVersions(metadata.resourceVersion, this.#sink.version) ?? 0) < 0)
      throw new VersionLost("the server is at a version before the last one that was seen");
  }

  async #recover(error: unknown): Promise<void> {
    const { clock, log } = this.#source;
    const { next, isVersionLost, atLeastMs } = remedyOf(error);
    if (next === "list" || this.#sink.version === "") this.#next = "list";
    if (isVersionLost) this.#isVersionLost = true;
    if (error instanceof ShortWatch) this.#sink.counts.shortWatch();
    const { health } = this.#sink;
    const delayMs = Math.max(this.#nextDelay(), atLeastMs);
    health.state = "waiting";
    health.lastError = error;
    if (isExpired(error))
      log.debug("changes are missing, objects will be listed anew", { delayMs });
    else
      log.warn("objects cannot be listed or watched for now", { error, next: this.#next, delayMs });
    // Who ends it meanwhile is not told of anything.
    await sleep(clock, delayMs, this.#signal).catch(() => undefined);
  }

  #open(how: WatchOptions): InformerStream<O> {
    const seconds =
      shortestTimeout + this.#source.random.next() * (longestTimeout - shortestTimeout);
    return openStream(
      { ...this.#source, signal: this.#signal, onHeard: this.#onHeard },
      { ...how, timeoutSeconds: Math.floor(seconds) },
    );
  }

  #lastVersion(): string {
    return this.#isVersionLost ? "" : this.#sink.version;
  }

  #stalled(): void {
    this.#sink.health.stalls++;
    this.#sink.counts.stalled();
  }
}

const backoff: Backoff = { duration: 800, factor: 2, jitter: 1, steps: 38, cap: 30_000 };
const backoffResetMs = 120_000;
const usualPage = 500;
const shortestWatchMs = 1000;
/** How long watches last, in seconds. */
const [shortestTimeout, longestTimeout] = [300, 600];
/** How often the patience with lists that do not arrive is doubled. */
const longestPatience = 3;
