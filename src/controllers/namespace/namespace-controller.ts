import { Namespace } from "../../api/core/v1/namespace.ts";
import type { Clock } from "../../base/clock.ts";
import { queueMetrics } from "../../base/queue-metrics.ts";
import { itemBackoff, overallRate, type RateLimiter, slowestOf } from "../../base/rate-limiter.ts";
import { RateLimitingQueue } from "../../base/rate-limiting-queue.ts";
import { TokenBucket } from "../../base/token-bucket.ts";
import { WorkQueue } from "../../base/work-queue.ts";
import { createDiscovery } from "../../client/discovery.ts";
import { linkedSignal } from "../../controller-runtime/linked-signal.ts";
import type { Runnable, RunnableContext } from "../../controller-runtime/manager.ts";
import { deleteNamespace, type NamespaceDeletion } from "./delete-namespace.ts";

export interface NamespaceControllerOptions {
  readonly concurrency: number;
  /** How often all namespaces that are being deleted are looked at without a reason. */
  readonly resyncMs: number;
}

/**
 * How long after a change of a namespace its content is deleted: by then all API servers know that
 * nothing may be created in it any more, and what was created last can be seen.
 */
const graceMs = 5_000;

/** Empties namespaces that are being deleted. Every change counts, but only after a while: so it has its own queue. */
export function namespaceController(options: NamespaceControllerOptions): Runnable {
  return {
    name: "namespace-controller",
    account: "namespace-controller",
    run: (signal, ctx) => run(options, ctx, signal),
  };
}

async function run(
  { concurrency, resyncMs }: NamespaceControllerOptions,
  ctx: RunnableContext,
  stopping: AbortSignal,
): Promise<void> {
  const { client, clock, log } = ctx;
  const { signal, unlink } = linkedSignal(stopping);
  const queue = nameQueue(ctx);
  const stop = (): void => queue.shutDown();
  signal.addEventListener("abort", stop, { once: true });
  const informer = ctx.informers.of(Namespace);
  const enqueue = ({ metadata }: Namespace): void => {
    if (metadata.deletionTimestamp) queue.addAfter(metadata.name ?? "", graceMs);
  };
  informer.addHandler({ added: enqueue, updated: enqueue }, { resyncMs });
  const deletion = { client, clock, log, discovery: createDiscovery(client) };
  const isThere = (name: string): boolean => informer.get({ name }) !== undefined;
  try {
    await informer.synced({ signal });
    const workers = Array.from({ length: concurrency }, () => work(queue, { isThere, deletion }));
    await Promise.all(workers);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unlink();
    stop();
    informer.close();
  }
}

/** Retries of a namespace wait for a minute at most. */
const rateLimiter = (clock: Clock): RateLimiter<string> =>
  slowestOf(
    itemBackoff({ base: 5, max: 60_000 }),
    overallRate(new TokenBucket({ clock, rate: 10, burst: 100 })),
  );

function nameQueue({ clock, metrics, ticks }: RunnableContext): RateLimitingQueue<string> {
  const observer = queueMetrics<string>("namespace", { metrics, ticks });
  return new RateLimitingQueue(new WorkQueue(observer), {
    clock,
    limiter: rateLimiter(clock),
    observer,
  });
}

async function work(
  queue: RateLimitingQueue<string>,
  { isThere, deletion }: { isThere(name: string): boolean; deletion: NamespaceDeletion },
): Promise<void> {
  for (let name = await queue.get(); name !== undefined; name = await queue.get()) {
    try {
      // What is left when all ends is found again at the next start.
      if (queue.shuttingDown) continue;
      const { remainingSeconds } = isThere(name) ? await deleteNamespace(name, deletion) : {};
      if (remainingSeconds === undefined) queue.forget(name);
      else queue.addAfter(name, (Math.floor(remainingSeconds / 2) + 1) * 1000);
    } catch (error) {
      queue.addRateLimited(name);
      deletion.log.error("deletion of namespace failed", error, { namespace: name });
    } finally {
      queue.done(name);
    }
  }
}
