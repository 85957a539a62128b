import { type Clock, DeadlineExceeded, type Timer, withDeadline } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import { queueMetrics } from "../../base/queue/queue-metrics.ts";
import { controllerRateLimiter } from "../../base/queue/rate-limiter.ts";
import { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import { WorkQueue } from "../../base/queue/work-queue.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { HandlerRegistration } from "../../client/informer/informer-options.ts";
import { formatKey, keyOf, parseKey } from "../../client/resource-kind.ts";
import type { ManagerCache } from "../cache/cache.ts";
import type { OwnWrite } from "../cache/own-write.ts";
import { OwnWrites, type OwnWritesOptions } from "../cache/own-writes.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import { type ControllerMetrics, controllerMetrics } from "../manager/controller-metrics.ts";
import { type LinkedSignal, linkedSignal } from "../manager/linked-signal.ts";
import {
  type Controller,
  type ControllerSource,
  type ReconcileResult,
  TerminalError,
} from "./controller-definition.ts";
import { logFailure } from "./log-failure.ts";
import { type EventReason, sourceHandler } from "./source-handler.ts";
import type { Trace, TracedReconcile } from "./trace.ts";

/** What a manager gives its controllers. */
export interface ControllerSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly ticks: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly cache: ManagerCache;
  readonly trace: Trace;
  readonly events: EventRecorder;
  /** A client whose calls abort with `signal`, and which reports its writes. */
  client(signal: AbortSignal, onWrite: (write: OwnWrite) => void): Client;
  readonly ownWrites: OwnWritesOptions;
  /** Whether it waits for caches as long as it takes. */
  readonly toleratesUnservedKinds: boolean;
  /** Aborts reconciles that are running. */
  readonly signal: AbortSignal;
}

/** A controller that runs: events enqueue keys, and workers reconcile them. */
export class RunningController {
  readonly name: string;
  readonly #controller: Controller;
  readonly #around: ControllerSurroundings;
  readonly #metrics: ControllerMetrics;
  readonly #ready: WorkQueue<string>;
  readonly #queue: RateLimitingQueue<string>;
  readonly #log: Log;
  readonly #registrations: Pick<HandlerRegistration, "remove">[] = [];
  /** Writes of keys that caches may not show yet. */
  readonly #writes = new Map<string, OwnWrites>();
  #workers: Promise<unknown> = Promise.resolve();
  /** How many asynchronous maps are running. */
  #mapping = 0;
  #isStopping: boolean = false;

  constructor(controller: Controller, around: ControllerSurroundings) {
    const { clock, ticks, metrics, log } = around;
    this.name = controller.name;
    this.#controller = controller;
    this.#around = around;
    this.#log = log.with({ controller: controller.name });
    this.#metrics = controllerMetrics(metrics, controller.name, controller.concurrency ?? 1);
    const observer = queueMetrics<string>(controller.name, { metrics, ticks });
    this.#ready = new WorkQueue<string>(observer);
    const limiter = (controller.rateLimiter ?? controllerRateLimiter<string>)(clock);
    this.#queue = new RateLimitingQueue(this.#ready, { clock, limiter, observer });
  }

  /** Whether no key is queued and no reconcile is running; delayed keys do not count. */
  get isIdle(): boolean {
    return this.#queue.idle && this.#mapping === 0;
  }

  /** Waits until the caches of its kinds have synced, or could not be filled at first if that is tolerated. */
  async warm(signal: AbortSignal): Promise<void> {
    const { cache, toleratesUnservedKinds } = this.#around;
    this.#addIndexes();
    await Promise.all(
      this.#controller.sources.map((source) => {
        const { informer } = cache.of(source.kind);
        if (toleratesUnservedKinds) return informer.tried({ signal });
        return this.#synced(source, signal, (ending) => informer.synced({ signal: ending }));
      }),
    );
  }

  /** Adds event handlers, waits until they have received all objects, and starts workers. */
  async start(signal: AbortSignal): Promise<void> {
    const { sources, concurrency = 1 } = this.#controller;
    this.#addIndexes();
    await Promise.all(sources.map((source) => this.#follow(source, signal)));
    if (this.#isStopping) return;
    this.#followValue();
    this.#log.info("starting workers", { count: concurrency });
    this.#workers = Promise.all(Array.from({ length: concurrency }, () => this.#work()));
  }

  /** Starts no more reconciles, and resolves when all that are running have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const registration of this.#registrations) registration.remove();
    this.#queue.shutDown();
    await this.#workers;
  }

  #addIndexes(): void {
    for (const { kind, name, valuesOf } of this.#controller.indexes ?? [])
      this.#around.cache.of(kind).informer.addIndexers({ [name]: valuesOf });
  }

  /** Enqueues all objects whenever the value changes on which their state depends. */
  #followValue(): void {
    const { dependsOn, kind } = this.#controller;
    if (!dependsOn) return;
    const { informer } = this.#around.cache.of(kind);
    const why: EventReason = { cause: { type: "resync" }, priority: 0, delayMs: 0 };
    const remove = dependsOn.onChange(() => {
      for (const object of informer.list()) this.#add(formatKey(keyOf(object)), why);
    });
    this.#registrations.push({ remove });
  }

  async #follow(source: ControllerSource, signal: AbortSignal): Promise<void> {
    const { informer } = this.#around.cache.of(source.kind);
    const { resyncMs } = source;
    const handler = sourceHandler(source, {
      cache: this.#around.cache.reader(this.#around.signal),
      log: this.#log,
      clock: this.#around.clock,
      add: (key, why) => this.#add(key, why),
      isMapping: (change) => {
        this.#mapping += change;
      },
    });
    const registration = informer.addHandler(handler, { resyncMs });
    this.#registrations.push(registration);
    await this.#synced(source, signal, (ending) => registration.synced({ signal: ending }));
  }

  async #synced(
    { kind }: ControllerSource,
    signal: AbortSignal,
    synced: (ending: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { clock, cache, toleratesUnservedKinds } = this.#around;
    if (toleratesUnservedKinds) return synced(signal);
    const { cacheSyncTimeoutMs: ms = 120_000 } = this.#controller;
    await withDeadline({ clock, ms, signal }, synced).catch((error: unknown) => {
      if (!(error instanceof DeadlineExceeded)) throw error;
      const what = `kind source: *${kind.version}.${kind.kind}`;
      throw new Error(
        `failed to wait for ${this.name} caches to sync ${what}: timed out waiting for cache to be synced for ${what}`,
        { cause: cache.of(kind).informer.health.lastError },
      );
    });
  }

  #add(key: string, { cause, priority, delayMs }: EventReason): void {
    if (this.#isStopping) return;
    this.#around.trace.caused(this.name, key, cause);
    if (delayMs > 0) this.#queue.addAfter(key, delayMs, priority);
    else this.#queue.add(key, priority);
  }

  async #work(): Promise<void> {
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      try {
        if (!this.#isStopping) await this.#reconcileOne(key);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  /** Reconciles a key and requeues it where needed; never throws. */
  async #reconcileOne(key: string): Promise<void> {
    const { trace, ticks } = this.#around;
    const attempt = this.#queue.requeues(key) + 1;
    const traced = trace.began({ controller: this.name, key, attempt });
    const priority = this.#ready.priorityOf(key) ?? 0;
    const log = this.#log.with({ key, reconcile: traced.id });
    const begun = ticks();
    this.#metrics.active.add(1);
    try {
      const result = await this.#reconcile(key, { attempt, traced, log });
      this.#succeeded(key, { result: result ?? {}, priority, traced });
    } catch (error) {
      this.#failed(key, { error, priority, traced, log });
    } finally {
      this.#metrics.seconds.observe((ticks() - begun) / 1000);
      this.#metrics.active.add(-1);
    }
  }

  async #reconcile(
    key: string,
    { attempt, traced, log }: Attempt,
  ): Promise<ReconcileResult | undefined> {
    const { clock, random, cache, events, metrics, signal } = this.#around;
    const link = linkedSignal(signal);
    const timer = this.#timeout(link);
    try {
      await this.#writesOf(key).shown(link.signal);
      const result = await this.#controller.reconcile(parseKey(key), {
        client: this.#around.client(link.signal, (write) => {
          traced.wrote(write);
          if (this.#controller.readsOwnWrites ?? true) this.#writesOf(key).note(write);
        }),
        cache: cache.reader(link.signal, (kind) => this.#writesOf(key).shown(link.signal, kind)),
        signal: link.signal,
        log,
        events,
        metrics,
        clock,
        random,
        attempt,
      });
      return result ?? undefined;
    } finally {
      timer?.cancel();
      link.unlink();
      this.#remember(key);
    }
  }

  /** Keeps the writes of a reconcile until all caches show them. */
  #remember(key: string): void {
    const { cache, signal } = this.#around;
    const writes = this.#writesOf(key);
    cache.wroteUnread(writes.forgetUnfollowed());
    const forget = (): void => {
      if (writes.size === 0 && this.#writes.get(key) === writes) this.#writes.delete(key);
    };
    if (writes.size === 0) forget();
    else writes.shown(signal).then(forget, () => undefined);
  }

  #timeout(link: LinkedSignal): Timer | undefined {
    const { timeoutMs } = this.#controller;
    if (timeoutMs === undefined) return undefined;
    return this.#around.clock.setTimer(timeoutMs, () => {
      this.#metrics.timeouts.add(1);
      link.abort(new DeadlineExceeded(timeoutMs));
    });
  }

  /** The writes of a key. Looked up each time, because the entry is removed once caches show all of them. */
  #writesOf(key: string): OwnWrites {
    let writes = this.#writes.get(key);
    if (!writes) {
      writes = new OwnWrites(this.#around.ownWrites);
      this.#writes.set(key, writes);
    }
    return writes;
  }

  #succeeded(
    key: string,
    {
      result,
      priority,
      traced,
    }: { result: ReconcileResult; priority: number; traced: TracedReconcile },
  ): void {
    const { requeueAfterMs = 0 } = result;
    this.#queue.forget(key);
    if (requeueAfterMs > 0) {
      this.#metrics.results.requeue_after.add(1);
      this.#around.trace.caused(this.name, key, { type: "requeue" });
      this.#queue.addAfter(key, requeueAfterMs, priority);
      traced.ended("requeueAfter");
    } else {
      this.#metrics.results.success.add(1);
      traced.ended("success");
    }
  }

  #failed(
    key: string,
    {
      error,
      priority,
      traced,
      log,
    }: { error: unknown; priority: number } & Omit<Attempt, "attempt">,
  ): void {
    const isTerminal = error instanceof TerminalError;
    this.#metrics.errors.add(1);
    this.#metrics.results.error.add(1);
    if (isTerminal) {
      this.#metrics.terminalErrors.add(1);
      this.#queue.forget(key);
    } else {
      this.#around.trace.caused(this.name, key, { type: "retry" });
      this.#queue.addRateLimited(key, priority);
    }
    traced.ended(isTerminal ? "terminalError" : "error", errorMessage(error));
    if (isTerminal) log.error("reconcile failed", error);
    else logFailure(log, "reconcile failed", error);
  }
}

interface Attempt {
  readonly attempt: number;
  readonly traced: TracedReconcile;
  readonly log: Log;
}
