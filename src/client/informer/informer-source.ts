import { type Backoff, delaysWithReset } from "../../base/backoff.ts";
import { type Clock, sleep, withDeadline } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { SelectOptions } from "../call-options.ts";
import type { Client } from "../client.ts";
import type { KubernetesObject, ResourceKind } from "../resource-kind.ts";
import { compareVersions } from "../resource-version.ts";
import type { WatchEvent } from "../watch-stream.ts";
import { forwardClock } from "./forward-clock.ts";
import type { ObjectEvent } from "./informer-changes.ts";
import { isExpired, remedyOf, ShortWatch, VersionLost } from "./informer-faults.ts";
import { InformerLister, type ListedStream } from "./informer-lister.ts";
import type { InformerHealth } from "./informer-options.ts";
import { openStream, type Watching } from "./informer-stream.ts";

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
  /** All objects as of a version, by key; the sink may keep the map. */
  listed(objects: Map<string, O>, version: string): void;
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
  readonly #watching: Watching<O>;
  readonly #lister: InformerLister<O>;
  readonly #nextDelay: () => number;
  #next: "list" | "watch" = "list";
  /** How many watches in a row ended without a word. */
  #silentWatches = 0;

  constructor(source: InformerSource<O>, sink: InformerSink<O>, signal: AbortSignal) {
    const { health } = sink;
    const onHeard = (): void => {
      health.lastHeardAt = source.clock.now();
      health.lastError = undefined;
    };
    this.#source = source;
    this.#sink = sink;
    this.#watching = { ...source, signal, onHeard };
    this.#lister = new InformerLister(source, sink, {
      watching: this.#watching,
      onStall: () => this.#stalled(),
    });
    const clock = forwardClock(source.clock);
    this.#nextDelay = delaysWithReset(backoff, source.random, { clock, after: backoffResetMs });
  }

  /** A list and a watch, or a watch that goes on where the last one ended; then what a failure asks for. */
  async step(): Promise<void> {
    const { health, counts } = this.#sink;
    try {
      let listed: ListedStream<O> | undefined;
      if (this.#next === "list") {
        health.state = "listing";
        listed = await this.#lister.list(this.#timeoutSeconds());
        this.#next = "watch";
        this.#silentWatches = 0;
      } else {
        await this.#probe();
        health.resumes++;
        counts.resumed();
      }
      health.state = "watching";
      await this.#watch(listed);
    } catch (error) {
      if (!this.#watching.signal.aborted) await this.#recover(error);
    }
  }

  /** Takes what a watch tells until it ends: that of a list, or one from the last version. */
  async #watch(listed?: ListedStream<O>): Promise<void> {
    const { clock } = this.#source;
    const begin = this.#sink.version;
    const timeoutSeconds = this.#timeoutSeconds();
    const stream =
      listed?.stream ?? openStream(this.#watching, { resourceVersion: begin, timeoutSeconds });
    const start = clock.now();
    let events = 0;
    try {
      let batch = listed?.rest ?? (await stream.next());
      for (; batch; batch = await stream.next()) {
        events += batch.length;
        this.#receive(batch, begin);
      }
      const ms = clock.now() - start;
      if (!listed && this.#sink.version === begin && ms >= 0 && ms < shortestWatchMs)
        throw new ShortWatch();
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
        const { resourceVersion: version = "" } = metadata;
        if ((compareVersions(version, begin) ?? 0) < 0)
          throw new VersionLost("the server is at a version before that of the watch");
        this.#sink.progressed(version);
      } else this.#sink.happened({ type: event.type, object: keep(event.object) });
    }
  }

  /**
   * A server that was restored may be silent for long: it has nothing newer than what it is asked for.
   * So when nothing is heard again and again, it is asked how far it has come.
   */
  async #probe(): Promise<void> {
    if (this.#silentWatches < mostSilentWatches) return;
    const { client, clock, kind, select, inactivityMs } = this.#source;
    const { signal, onHeard } = this.#watching;
    const { metadata } = await withDeadline({ clock, ms: inactivityMs, signal }, (ending) =>
      client.list(kind, { ...select, limit: 1, signal: ending }),
    );
    this.#silentWatches = 0;
    onHeard();
    if ((compareVersions(metadata.resourceVersion, this.#sink.version) ?? 0) < 0)
      throw new VersionLost("the server is at a version before the last one that was seen");
  }

  /** Decides how to go on after a failure, and waits. */
  async #recover(error: unknown): Promise<void> {
    const { clock, log } = this.#source;
    const { health, counts } = this.#sink;
    const { next, isVersionLost, atLeastMs } = remedyOf(error);
    if (next === "list") this.#next = "list";
    if (isVersionLost) this.#lister.versionLost();
    if (error instanceof ShortWatch) counts.shortWatch();
    const delayMs = Math.max(this.#nextDelay(), atLeastMs);
    health.state = "waiting";
    health.lastError = error;
    if (isExpired(error))
      log.debug("changes are missing, objects will be listed anew", { delayMs });
    else
      log.warn("objects cannot be listed or watched for now", { error, next: this.#next, delayMs });
    // Who ends it meanwhile is not told of anything.
    await sleep(clock, delayMs, this.#watching.signal).catch(() => undefined);
  }

  #timeoutSeconds(): number {
    const [shortest, longest] = watchSeconds;
    return Math.floor(shortest + this.#source.random.next() * (longest - shortest));
  }

  #stalled(): void {
    this.#sink.health.stalls++;
    this.#sink.counts.stalled();
  }
}

const backoff: Backoff = { duration: 800, factor: 2, jitter: 1, steps: 38, cap: 30_000 };
const backoffResetMs = 120_000;
const shortestWatchMs = 1000;
const watchSeconds = [300, 600] as const;
const mostSilentWatches = 2;
