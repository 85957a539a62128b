import { sleep } from "../../base/clock.ts";
import { queueMetrics } from "../../base/queue-metrics.ts";
import { controllerRateLimiter } from "../../base/rate-limiter.ts";
import { RateLimitingQueue } from "../../base/rate-limiting-queue.ts";
import { WorkQueue } from "../../base/work-queue.ts";
import { linkedSignal } from "../../controller-runtime/linked-signal.ts";
import type { Runnable, RunnableContext } from "../../controller-runtime/manager.ts";
import { QuotaCounting } from "./quota-counting.ts";

export interface ResourceQuotaControllerOptions {
  readonly concurrency: number;
  /** How often all quotas are counted anew without a reason; never if 0. */
  readonly resyncMs: number;
}

const name = "resourcequota-controller";

/** Tells in the status of quotas what is used of them. */
export const resourceQuotaController = (options: ResourceQuotaControllerOptions): Runnable => ({
  name,
  run: (signal, ctx) => run(options, ctx, signal),
});

async function run(
  { concurrency, resyncMs }: ResourceQuotaControllerOptions,
  ctx: RunnableContext,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, log, metrics, ticks } = ctx;
  const { signal, unlink } = linkedSignal(stopping);
  const observer = queueMetrics<string>("resourcequota_primary", { metrics, ticks });
  const queue = new RateLimitingQueue(new WorkQueue<string>(observer), {
    clock,
    limiter: controllerRateLimiter<string>(clock),
    observer,
  });
  const counting = new QuotaCounting({ ctx, queue, signal });
  const stop = (): void => queue.shutDown();
  signal.addEventListener("abort", stop, { once: true });

  const work = async (): Promise<void> => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      try {
        await counting.count(key);
        queue.forget(key);
      } catch (error) {
        if (signal.aborted) return;
        log.error("a quota could not be counted", error, { key });
        queue.addRateLimited(key);
      } finally {
        queue.done(key);
      }
    }
  };
  const resync = async (): Promise<void> => {
    while (resyncMs > 0 && !signal.aborted) {
      await sleep(clock, resyncMs, signal).catch(() => {});
      if (!signal.aborted) counting.countAll();
    }
  };
  try {
    await counting.start();
    await Promise.all([resync(), ...Array.from({ length: concurrency }, work)]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unlink();
    stop();
    counting.close();
  }
}
