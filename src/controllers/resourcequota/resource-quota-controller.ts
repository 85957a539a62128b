import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { QuotaCounting } from "./quota-counting.ts";

export interface ResourceQuotaControllerOptions {
  readonly concurrency: number;
  /** How often all quotas are counted without a change; never if 0. */
  readonly resyncMs: number;
}

/** Writes into the status of quotas how much of them is used. */
export const resourceQuotaController = ({
  concurrency,
  resyncMs,
}: ResourceQuotaControllerOptions): Runnable =>
  queueController({
    name: "resourcequota-controller",
    setUp(ctx) {
      const queue = ctx.queue({
        name: "resourcequota_primary",
        workers: concurrency,
        failure: "counting a quota failed",
        work: (key) => counting.count(key),
      });
      const counting = new QuotaCounting({ ctx, queue, signal: ctx.signal });
      ctx.onSynced(() => counting.start());
      if (resyncMs > 0)
        ctx.every(resyncMs, {
          work: () => counting.countAll(),
          failure: "enqueueing quotas failed",
        });
      ctx.onEnd(() => counting.close());
    },
  });
