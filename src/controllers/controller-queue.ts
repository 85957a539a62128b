import { queueMetrics } from "../base/queue-metrics.ts";
import { controllerRateLimiter } from "../base/rate-limiter.ts";
import { RateLimitingQueue } from "../base/rate-limiting-queue.ts";
import { WorkQueue } from "../base/work-queue.ts";
import type { RunnableContext } from "../controller-runtime/manager.ts";

/** A queue of keys as controllers have them, counted under a name. */
export function controllerQueue(
  ctx: Pick<RunnableContext, "clock" | "ticks" | "metrics">,
  name: string,
): RateLimitingQueue<string> {
  const { clock } = ctx;
  const observer = queueMetrics<string>(name, ctx);
  const limiter = controllerRateLimiter<string>(clock);
  return new RateLimitingQueue(new WorkQueue(observer), { clock, limiter, observer });
}
