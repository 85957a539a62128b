import { type Backoff, delaysWithReset } from "../../base/backoff.ts";
import { type Clock, sleep, withDeadline } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { SelectOptions } from "../call-options.ts";
import type { Client } from "../client.ts";
import type { KubernetesObject, ResourceKind } from "../resource-kind.ts";
import { compareVersions } from "../resource-version.ts";
import type { WatchEvent } from "../watch-stream.ts";
import type { ObjectEvent } from "./apply-changes.ts";
import type { InformerHealth } from "./informer-options.ts";
import { isExpired, recoveryFrom, ShortWatchError, VersionLostError } from "./list-watch-errors.ts";
import { openWatch, type WatchRequest } from "./monitored-watch.ts";
import { monotonicClock } from "./monotonic-clock.ts";
import { type ListedStream, ReflectorLister } from "./reflector-lister.ts";

/** The objects that a reflector lists and watches, and how. */
export interface ReflectorOptions<O> {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly kind: ResourceKind<O>;
  readonly select: SelectOptions;
  /** Transforms an object before it is cached. */
  readonly transform: (object: O) => O;
  /** A connection on which nothing arrives for this many milliseconds is aborted. */
  readonly inactivityMs: number;
  /** Remembers that the server does not support streaming lists for this kind. */
  readonly streams: { areSupported: boolean };
}

/** Receives the objects and changes of a reflector. */
export interface ReflectorStore<O> {
  /** All changes up to this version were received; empty before the first list. */
  readonly version: string;
  /** Receives all objects as of a version, by key; the store may keep the map. */
  listed(objects: Map<string, O>, version: string): void;
  /** Receives a later change, which may be a repetition. */
  happened(event: ObjectEvent<O>): void;
  /** All changes up to this version were received. */
  progressed(version: string): void;
  /** A list or watch failed; `health` has the error. */
  failed(): void;
  readonly health: ReflectorHealth;
  readonly counts: ReflectorMetrics;
}

/** The health of a reflector, which the reflector itself updates. */
export type ReflectorHealth = {
  -readonly [Name in keyof Omit<InformerHealth, "changesFoundByRelist">]: InformerHealth[Name];
};

/** Counts lists, watches and their faults. */
export interface ReflectorMetrics {
  listed(items: number, ms: number): void;
  watched(events: number, ms: number): void;
  resumed(): void;
  stalled(): void;
  shortWatch(): void;
}

/**
 * Lists and watches until the signal aborts. After an error it backs off, and then resumes the watch
 * from the last resourceVersion or relists.
 */
export async function runReflector<O>(
  source: ReflectorOptions<O>,
  store: ReflectorStore<O>,
  signal: AbortSignal,
): Promise<void> {
  const reflector = new Reflector(source, store, signal);
  while (!signal.aborted) await reflector.step();
}

class Reflector<O> {
  readonly #source: ReflectorOptions<O>;
  readonly #store: ReflectorStore<O>;
  readonly #watchRequest: WatchRequest<O>;
  readonly #lister: ReflectorLister<O>;
  readonly #nextDelay: () => number;
  #next: "list" | "watch" = "list";
  /** The number of consecutive watches without any event. */
  #emptyWatches = 0;

  constructor(source: ReflectorOptions<O>, store: ReflectorStore<O>, signal: AbortSignal) {
    const { health } = store;
    const onActivity = (): void => {
      health.lastActivityAt = source.clock.now();
      health.lastError = undefined;
    };
    this.#source = source;
    this.#store = store;
    this.#watchRequest = { ...source, signal, onActivity };
    this.#lister = new ReflectorLister(source, store, {
      watchRequest: this.#watchRequest,
      onStall: () => this.#stalled(),
    });
    const clock = monotonicClock(source.clock);
    this.#nextDelay = delaysWithReset(backoff, source.random, { clock, after: backoffResetMs });
  }

  /**
   * Runs one list and watch, or a watch that resumes from the last resourceVersion; on failure, backs
   * off.
   */
  async step(): Promise<void> {
    const { health, counts } = this.#store;
    try {
      let listed: ListedStream<O> | undefined;
      if (this.#next === "list") {
        health.state = "listing";
        listed = await this.#lister.list(this.#timeoutSeconds());
        this.#next = "watch";
        this.#emptyWatches = 0;
      } else {
        await this.#probe();
        health.resumes++;
        counts.resumed();
      }
      health.state = "watching";
      await this.#watch(listed);
    } catch (error) {
      if (!this.#watchRequest.signal.aborted) await this.#recover(error);
    }
  }

  /** Receives the events of a watch until it ends: the watch of a streaming list, or a new one. */
  async #watch(listed?: ListedStream<O>): Promise<void> {
    const { clock } = this.#source;
    const begin = this.#store.version;
    const timeoutSeconds = this.#timeoutSeconds();
    const stream =
      listed?.stream ?? openWatch(this.#watchRequest, { resourceVersion: begin, timeoutSeconds });
    const start = clock.now();
    let events = 0;
    try {
      let batch = listed?.rest ?? (await stream.next());
      for (; batch; batch = await stream.next()) {
        events += batch.length;
        this.#receive(batch, begin);
      }
      const ms = clock.now() - start;
      if (!listed && this.#store.version === begin && ms >= 0 && ms < minWatchMs)
        throw new ShortWatchError();
    } catch (error) {
      if (!stream.isStalled) throw error;
      this.#stalled();
      if (stream.batches === 0) throw error;
    } finally {
      this.#emptyWatches = stream.batches === 0 ? this.#emptyWatches + 1 : 0;
      this.#store.counts.watched(events, clock.now() - start);
      await stream.close();
    }
  }

  #receive(batch: readonly WatchEvent<O>[], begin: string): void {
    const { transform, log } = this.#source;
    for (const event of batch) {
      const { metadata } = event.object as Partial<KubernetesObject>;
      if (!metadata) {
        log.warn("skipping a watch event without metadata", { type: event.type });
      } else if (event.type === "BOOKMARK") {
        const { resourceVersion: version = "" } = metadata;
        if ((compareVersions(version, begin) ?? 0) < 0)
          throw new VersionLostError(
            "the server's resourceVersion is older than that of the watch",
          );
        this.#store.progressed(version);
      } else this.#store.happened({ type: event.type, object: transform(event.object) });
    }
  }

  /**
   * A restored server may send nothing for long, because it has no changes after the requested
   * resourceVersion. After several watches without events, a list finds out the server's version.
   */
  async #probe(): Promise<void> {
    if (this.#emptyWatches < maxEmptyWatches) return;
    const { client, clock, kind, select, inactivityMs } = this.#source;
    const { signal, onActivity } = this.#watchRequest;
    const { metadata } = await withDeadline({ clock, ms: inactivityMs, signal }, (ending) =>
      client.list(kind, { ...select, limit: 1, signal: ending }),
    );
    this.#emptyWatches = 0;
    onActivity();
    if ((compareVersions(metadata.resourceVersion, this.#store.version) ?? 0) < 0)
      throw new VersionLostError("the server's resourceVersion is older than that of the cache");
  }

  /** Decides how to continue after an error, and backs off. */
  async #recover(error: unknown): Promise<void> {
    const { clock, log } = this.#source;
    const { health, counts } = this.#store;
    const { next, isVersionLost, atLeastMs } = recoveryFrom(error);
    if (next === "list") this.#next = "list";
    if (isVersionLost) this.#lister.versionLost();
    if (error instanceof ShortWatchError) counts.shortWatch();
    const delayMs = Math.max(this.#nextDelay(), atLeastMs);
    health.state = "waiting";
    health.lastError = error;
    this.#store.failed();
    if (isExpired(error)) log.debug("resourceVersion expired, relisting", { delayMs });
    else log.warn("list or watch failed, retrying", { error, next: this.#next, delayMs });
    // The signal may abort the pause; the caller's loop then ends.
    await sleep(clock, delayMs, this.#watchRequest.signal).catch(() => undefined);
  }

  #timeoutSeconds(): number {
    const [shortest, longest] = watchSeconds;
    return Math.floor(shortest + this.#source.random.next() * (longest - shortest));
  }

  #stalled(): void {
    this.#store.health.stalls++;
    this.#store.counts.stalled();
  }
}

const backoff: Backoff = { duration: 800, factor: 2, jitter: 1, steps: 38, cap: 30_000 };
const backoffResetMs = 120_000;
const minWatchMs = 1000;
const watchSeconds = [300, 600] as const;
const maxEmptyWatches = 2;
