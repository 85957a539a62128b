import { sleep } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type {
  Runnable,
  RunnableContext,
} from "../../controller-runtime/manager/manager-options.ts";
import { controllerQueue } from "../controller-queue.ts";
import { workOff } from "../work-off.ts";
import { QuotaCounting } from "./quota-counting.ts";

export interface ResourceQuotaControllerOptions {
  readonly concurrency: number;
  /** How often all quotas are counted anew without a reason; never if 0. */
  readonly resyncMs: number;
}

/** Tells in the status of quotas what is used of them. */
export const resourceQuotaController = (options: ResourceQuotaControllerOptions): Runnable => ({
  name: "resourcequota-controller",
  run: (signal, ctx) => run(options, ctx, signal),
});

async function run(
  { concurrency, resyncMs }: ResourceQuotaControllerOptions,
  ctx: RunnableContext,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = ctx;
  const queue = controllerQueue(ctx, "resourcequota_primary");
  const counting = new QuotaCounting({ ctx, queue, signal });
  onAbort(signal, () => queue.shutDown());
  const resync = async (): Promise<void> => {
    while (resyncMs > 0 && !signal.aborted) {
      await sleep(clock, resyncMs, signal).catch(() => {});
      if (!signal.aborted) counting.countAll();
    }
  };
  try {
    await counting.start();
    const working = workOff(queue, {
      workers: concurrency,
      async work(key) {
        await counting.count(key);
        return "done";
      },
      onFault: (key, error) => log.error("a quota could not be counted", error, { key }),
    });
    await Promise.all([resync(), working]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    queue.shutDown();
    counting.close();
  }
}
