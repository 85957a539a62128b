import { queueMetrics } from "../../base/queue/queue-metrics.ts";
import { controllerRateLimiter, type RateLimiter } from "../../base/queue/rate-limiter.ts";
import { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import { WorkQueue } from "../../base/queue/work-queue.ts";
import type { RunnableContext } from "../manager/manager-options.ts";

/** A rate-limiting queue whose metrics carry `name`. */
export function controllerQueue<T extends NonNullable<unknown> = string>(
  ctx: Pick<RunnableContext, "clock" | "ticks" | "metrics">,
  name: string,
  limiter: RateLimiter<T> = controllerRateLimiter(ctx.clock),
): RateLimitingQueue<T> {
  const observer = queueMetrics<T>(name, ctx);
  return new RateLimitingQueue(new WorkQueue(observer), { clock: ctx.clock, limiter, observer });
}
