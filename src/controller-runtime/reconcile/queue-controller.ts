import { sleep } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { RateLimiter } from "../../base/queue/rate-limiter.ts";
import type { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import type { Informer, InformerOptions } from "../../client/informer/informer-options.ts";
import type { ResourceKind } from "../../client/resource-kind.ts";
import type { Runnable, RunnableContext } from "../manager/manager-options.ts";
import { controllerQueue } from "./controller-queue.ts";
import { logFailure } from "./log-failure.ts";
import { runWorkers, type WorkOutcome } from "./run-workers.ts";

/** A controller that is more than a loop over the keys of one kind: it has queues of its own. */
export interface QueueControllerDefinition {
  readonly name: string;
  /**
   * Declares informers, queues and periodic work through `ctx`, before anything runs. They start once
   * it returns: informers, then what waits for them, then workers.
   */
  setUp(ctx: QueueControllerContext): void;
}

/** What a controller with queues of its own declares, and what it can use. */
export interface QueueControllerContext extends RunnableContext {
  /** Aborts when the controller is to stop. */
  readonly signal: AbortSignal;
  /** An informer that has synced before workers start, and is closed when the controller stops. */
  informer<O>(kind: ResourceKind<O>, options?: InformerOptions<O>): Informer<O>;
  /** A queue and the workers on it. */
  queue<T extends NonNullable<unknown> = string>(options: ControllerQueue<T>): RateLimitingQueue<T>;
  /** Called once all informers have synced, before workers start: the place to add event handlers. */
  onSynced(call: () => void | Promise<void>): void;
  /** Work that runs beside the workers from the beginning until `signal` aborts. */
  background(run: () => Promise<void>): void;
  /** Work that is repeated, so many milliseconds after it last ended, while workers run. */
  every(periodMs: number, options: PeriodicWork): void;
  /** Called as soon as the controller is to stop: the place to cancel timers. */
  onStop(call: () => void): void;
  /** Called when all workers have ended: the place to close what they use. */
  onEnd(call: () => void): void;
}

/** A queue, and what is done with its items. */
export interface ControllerQueue<T> {
  /** The name of the queue in metrics. */
  readonly name: string;
  /** How many items are worked on at the same time. */
  readonly workers: number;
  /** The backoff of items that are retried; the usual one of controllers if not given. */
  readonly limiter?: RateLimiter<T> | undefined;
  /** Works on an item. An error that it throws is logged, and the item is retried after its backoff. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is one of these.
  work(item: T): Promise<WorkOutcome | void>;
  /** What the log says of an error, with the item as a field. */
  readonly failure: string;
  /** The name and value of the log field for an item; `key` and the item itself if not given. */
  readonly logFields?: ((item: T) => Readonly<Record<string, unknown>>) | undefined;
  /** Whether an error is not worth more than a line at level debug. */
  readonly isQuiet?: ((error: unknown) => boolean) | undefined;
}

export interface PeriodicWork {
  work(): void | Promise<void>;
  /** What the log says of an error; the work is repeated nevertheless. */
  readonly failure: string;
  /** Whether the first time is at once, not after the period. */
  readonly startsAtOnce?: boolean | undefined;
}

/**
 * A runnable that starts informers, waits until they have synced, runs workers, and ends in order:
 *
 * ```ts
 * queueController({
 *   name: "sweeper",
 *   setUp(ctx) {
 *     const pods = ctx.informer(Pod);
 *     const queue = ctx.queue({ name: "sweeper", workers: 5, failure: "sweeping failed", work: sweep });
 *     ctx.onSynced(() => void pods.addHandler({ added: (pod) => queue.add(formatKey(keyOf(pod))) }));
 *   },
 * });
 * ```
 */
export function queueController({ name, setUp }: QueueControllerDefinition): Runnable {
  return { name, run: (signal, ctx) => run(setUp, ctx, signal) };
}

async function run(
  setUp: QueueControllerDefinition["setUp"],
  ctx: RunnableContext,
  signal: AbortSignal,
): Promise<void> {
  const informers: Informer<never>[] = [];
  const queues: { shutDown(): void }[] = [];
  const background: (() => Promise<void>)[] = [];
  const work: (() => Promise<void>)[] = [];
  const onSynced: (() => void | Promise<void>)[] = [];
  const onStop: (() => void)[] = [];
  const onEnd: (() => void)[] = [];
  let hasStopped = false;
  const stop = (): void => {
    if (hasStopped) return;
    hasStopped = true;
    for (const call of onStop) call();
    for (const queue of queues) queue.shutDown();
    for (const informer of informers) informer.close();
  };
  setUp({
    ...ctx,
    signal,
    informer(kind, options) {
      const informer = ctx.informers.of(kind, options);
      informers.push(informer as Informer<never>);
      return informer;
    },
    queue(options) {
      const queue = controllerQueue(ctx, options.name, options.limiter);
      queues.push(queue);
      work.push(() => runQueue(queue, options, ctx));
      return queue;
    },
    onSynced: (call) => void onSynced.push(call),
    background: (call) => void background.push(call),
    every: (periodMs, options) =>
      void work.push(() => repeat(periodMs, options, { ...ctx, signal })),
    onStop: (call) => void onStop.push(call),
    onEnd: (call) => void onEnd.push(call),
  });
  const unfollow = onAbort(signal, stop);
  const others = Promise.all(background.map((call) => call()));
  // An error of background work is thrown below; until then nobody may be waiting for it.
  others.catch(() => undefined);
  try {
    await Promise.all(informers.map((informer) => informer.synced({ signal })));
    for (const call of onSynced) await call();
    await Promise.all([others, ...work.map((call) => call())]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unfollow();
    stop();
    for (const call of onEnd) call();
  }
}

async function runQueue<T extends NonNullable<unknown>>(
  queue: RateLimitingQueue<T>,
  options: ControllerQueue<T>,
  { log }: Pick<RunnableContext, "log">,
): Promise<void> {
  const { workers, failure, logFields = (item) => ({ key: item }), isQuiet } = options;
  await runWorkers(queue, {
    workers,
    work: async (item) => (await options.work(item)) ?? "done",
    onError(item, error) {
      if (isQuiet?.(error)) log.debug(failure, { ...logFields(item), error });
      else logFailure(log, failure, error, logFields(item));
    },
  });
}

async function repeat(
  periodMs: number,
  { work, failure, startsAtOnce = false }: PeriodicWork,
  { clock, log, signal }: Pick<RunnableContext, "clock" | "log"> & { readonly signal: AbortSignal },
): Promise<void> {
  const pause = (): Promise<void> => sleep(clock, periodMs, signal).catch(() => undefined);
  if (!startsAtOnce) await pause();
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) logFailure(log, failure, error);
    }
    await pause();
  }
}
