import type { Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { QueueObserver } from "../../base/queue/work-queue.ts";
import type { Environment } from "../objects/environment.ts";
import type { KindOf, ObjectReader } from "../objects/reader.ts";
import type { CacheEvent, CacheWatcher, ResourceCache } from "../watch/watch-cache.ts";

/** Reconciles some objects of the cluster. */
export interface Reconciler {
  /** The objects that it reconciles, for the log: `system namespaces`. */
  readonly task: string;
  /** The name of its queue in metrics, which is that of upstream's controller. */
  readonly queue: string;
  /** The kinds whose changes it watches; kinds that are not served are skipped. */
  readonly kinds: readonly KindOf<unknown>[];
  /** Whether a change must be reconciled; all must if this is absent. */
  isRelevant?(event: CacheEvent): boolean;
  /** Compares the objects with their desired state and writes them; may requeue itself after a while. */
  reconcile(requeueAfter: (ms: number) => void): Promise<void>;
}

/** The state from which a reconciler starts. */
export interface ReconcilerStart {
  /** Whether the parent of this fork has reconciled everything already; false if not given. */
  readonly isReconciled?: boolean;
}

interface LoopParts {
  readonly reader: ObjectReader;
  readonly environment: Pick<Environment, "clock" | "queues">;
}

const firstRetryMs = 1000;
const lastRetryMs = 60_000;

/**
 * Runs a reconciler at the start, and again after changes. All changes during a run are handled by the
 * next one. A failed run is retried with increasing delays.
 */
export class ReconcileLoop {
  readonly #parts: LoopParts;
  readonly #log: Log;
  readonly #reconciler: Reconciler;
  /** Observes the loop as a queue with one item. */
  readonly #observer: QueueObserver<string> | undefined;
  readonly #unwatch: (() => void)[] = [];
  /** Whether another run is needed, because of changes that the current one may not have seen. */
  #isDue = false;
  #work: Promise<void> | undefined;
  #timer: Timer | undefined;
  #retryMs = firstRetryMs;
  #isClosed = false;

  constructor(parts: LoopParts, log: Log, reconciler: Reconciler) {
    this.#parts = parts;
    this.#log = log;
    this.#reconciler = reconciler;
    this.#observer = parts.environment.queues?.(reconciler.queue);
  }

  /** Starts with a run; resolves after it. */
  start(): Promise<void> {
    this.watch();
    return this.trigger();
  }

  /** Starts without a run, if everything is reconciled already. */
  watch(): void {
    for (const kind of this.#reconciler.kinds) {
      const cache = this.#parts.reader.cacheOf(kind);
      if (cache) this.#watch(cache);
    }
  }

  /** Whether no run is pending, so that only a change starts one. */
  get isIdle(): boolean {
    return !this.#work && !this.#timer;
  }

  /** Requests another run; resolves after it. */
  trigger(): Promise<void> {
    if (!this.#isDue) this.#observer?.added(this.#reconciler.task);
    this.#isDue = true;
    this.#work ??= this.#run();
    return this.#work;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const unwatch of this.#unwatch) unwatch();
  }

  /** The same; resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.close();
    await this.#work;
  }

  #watch(cache: ResourceCache): void {
    let next = cache.endOfEvents;
    const watcher: CacheWatcher = {
      changed: () => {
        let isRelevant = false;
        for (; next < cache.endOfEvents; next++) {
          const event = cache.eventAt(next);
          if (event && (this.#reconciler.isRelevant?.(event) ?? true)) isRelevant = true;
        }
        if (isRelevant) void this.trigger();
      },
      end: () => this.close(),
    };
    cache.watchers.add(watcher);
    this.#unwatch.push(() => cache.watchers.delete(watcher));
  }

  async #run(): Promise<void> {
    // Wait for all changes of one revision.
    await Promise.resolve();
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      this.#observer?.taken(this.#reconciler.task);
      await this.#try();
      this.#observer?.done(this.#reconciler.task);
    }
    this.#work = undefined;
  }

  async #try(): Promise<void> {
    this.#stopTimer();
    let requestedMs = Number.POSITIVE_INFINITY;
    try {
      await this.#reconciler.reconcile((ms) => {
        requestedMs = ms;
      });
      this.#retryMs = firstRetryMs;
      if (requestedMs < Number.POSITIVE_INFINITY) this.#requeueAfter(requestedMs);
    } catch (error) {
      if (this.#isClosed) return;
      this.#log.error("reconciling failed", error, { task: this.#reconciler.task });
      this.#observer?.retried();
      this.#requeueAfter(Math.min(this.#retryMs, requestedMs));
      this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
    }
  }

  #requeueAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#stopTimer();
    this.#timer = this.#parts.environment.clock.setTimer(ms, () => void this.trigger());
  }

  #stopTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
