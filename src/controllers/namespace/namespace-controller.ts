import { Namespace } from "../../api/core/v1/namespace.ts";
import { onAbort } from "../../base/on-abort.ts";
import { controllerRateLimiter } from "../../base/queue/rate-limiter.ts";
import { createDiscovery } from "../../client/discovery/discovery.ts";
import type {
  Runnable,
  RunnableContext,
} from "../../controller-runtime/manager/manager-options.ts";
import { controllerQueue } from "../controller-queue.ts";
import { workOff } from "../work-off.ts";
import { deleteNamespace } from "./delete-namespace.ts";

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

/** What fails is tried again after a minute at most. */
const backoff = { max: 60_000 };

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
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, log } = ctx;
  const queue = controllerQueue<string>(ctx, "namespace", controllerRateLimiter(clock, backoff));
  onAbort(signal, () => queue.shutDown());
  const informer = ctx.informers.of(Namespace);
  const enqueue = ({ metadata }: Namespace): void => {
    if (metadata.deletionTimestamp) queue.addAfter(metadata.name ?? "", graceMs);
  };
  informer.addHandler({ added: enqueue, updated: enqueue }, { resyncMs });
  const deletion = { client, clock, log, discovery: createDiscovery(client) };
  try {
    await informer.synced({ signal });
    await workOff(queue, {
      workers: concurrency,
      async work(name) {
        if (!informer.get({ name })) return "done";
        const { remainingSeconds } = await deleteNamespace(name, deletion);
        if (remainingSeconds === undefined) return "done";
        return { afterMs: (Math.floor(remainingSeconds / 2) + 1) * 1000 };
      },
      onFault: (name, error) =>
        log.error("deletion of namespace failed", error, { namespace: name }),
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    queue.shutDown();
    informer.close();
  }
}
