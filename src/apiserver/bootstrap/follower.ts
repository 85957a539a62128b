import type { Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { QueueObserver } from "../../base/queue/work-queue.ts";
import type { Environment } from "../objects/environment.ts";
import type { KindOf, ObjectReader } from "../objects/reader.ts";
import type { CacheEvent, CacheWatcher, ResourceCache } from "../watch/watch-cache.ts";

/** Something that is to be kept as it should be. */
export interface Keeper {
  /** What it does, for the log: `keep system namespaces`. */
  readonly task: string;
  /** The name that it is counted under: upstream's for who does the same there. */
  readonly queue: string;
  /** The kinds whose changes matter to it; those that are not served have none. */
  readonly kinds: readonly KindOf<unknown>[];
  /** Whether a change matters; all do where this is absent. */
  concerns?(event: CacheEvent): boolean;
  /** Looks at what there is and puts it right; it may ask to be woken after some milliseconds. */
  sync(wakeAfter: (ms: number) => void): Promise<void>;
}

/** What a keeper may begin with. */
export interface KeeperStart {
  /** Whether another has put all right already, before this server was forked; false if not given. */
  readonly isKept?: boolean;
}

interface FollowerParts {
  readonly reader: ObjectReader;
  readonly environment: Pick<Environment, "clock" | "queues">;
}

const firstRetryMs = 1000;
const lastRetryMs = 60_000;

/**
 * Has a keeper look at the beginning, and again when something has changed. It looks once for all that
 * has changed meanwhile, and tries again, less and less often, what failed.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #log: Log;
  readonly #keeper: Keeper;
  /** Told of it as of a queue in which all that has changed is one item. */
  readonly #observer: QueueObserver<string> | undefined;
  readonly #unfollow: (() => void)[] = [];
  /** Whether there is something to look at that the work under way may not have seen. */
  #isDue = false;
  #work: Promise<void> | undefined;
  #timer: Timer | undefined;
  #retryMs = firstRetryMs;
  #isClosed = false;

  constructor(parts: FollowerParts, log: Log, keeper: Keeper) {
    this.#parts = parts;
    this.#log = log;
    this.#keeper = keeper;
    this.#observer = parts.environment.queues?.(keeper.queue);
  }

  /** Follows from here on; resolves after the first look. */
  start(): Promise<void> {
    this.follow();
    return this.wake();
  }

  /** Follows from here on, where all is as it should be. */
  follow(): void {
    for (const kind of this.#keeper.kinds) {
      const cache = this.#parts.reader.cacheOf(kind);
      if (cache) this.#follow(cache);
    }
  }

  /** Whether it has looked at everything, and waits for nothing but changes. */
  get isAtRest(): boolean {
    return !this.#work && !this.#timer;
  }

  /** Has it look once more; resolves afterwards. */
  wake(): Promise<void> {
    if (!this.#isDue) this.#observer?.added(this.#keeper.task);
    this.#isDue = true;
    this.#work ??= this.#look();
    return this.#work;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const unfollow of this.#unfollow) unfollow();
  }

  /** The same; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.close();
    await this.#work;
  }

  #follow(cache: ResourceCache): void {
    let next = cache.endOfEvents;
    const watcher: CacheWatcher = {
      changed: () => {
        let matters = false;
        for (; next < cache.endOfEvents; next++) {
          const event = cache.eventAt(next);
          if (event && (this.#keeper.concerns?.(event) ?? true)) matters = true;
        }
        if (matters) void this.wake();
      },
      end: () => this.close(),
    };
    cache.watchers.add(watcher);
    this.#unfollow.push(() => cache.watchers.delete(watcher));
  }

  async #look(): Promise<void> {
    // All changes of one revision come first.
    await Promise.resolve();
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      this.#observer?.taken(this.#keeper.task);
      await this.#try();
      this.#observer?.done(this.#keeper.task);
    }
    this.#work = undefined;
  }

  async #try(): Promise<void> {
    this.#stopTimer();
    let wished = Number.POSITIVE_INFINITY;
    try {
      await this.#keeper.sync((ms) => {
        wished = ms;
      });
      this.#retryMs = firstRetryMs;
      if (wished < Number.POSITIVE_INFINITY) this.#wakeAfter(wished);
    } catch (error) {
      if (this.#isClosed) return;
      this.#log.error("upkeep failed", error, { task: this.#keeper.task });
      this.#observer?.retried();
      this.#wakeAfter(Math.min(this.#retryMs, wished));
      this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
    }
  }

  #wakeAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#stopTimer();
    this.#timer = this.#parts.environment.clock.setTimer(ms, () => void this.wake());
  }

  #stopTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
