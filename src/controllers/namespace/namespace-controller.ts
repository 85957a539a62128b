import { Namespace } from "../../api/core/v1/namespace.ts";
import { controllerRateLimiter } from "../../base/queue/rate-limiter.ts";
import { createDiscovery } from "../../client/discovery/discovery.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { deleteNamespace } from "./delete-namespace.ts";

export interface NamespaceControllerOptions {
  readonly concurrency: number;
  /** How often all namespaces that are being deleted are enqueued without a change. */
  readonly resyncMs: number;
}

/**
 * How long after a change of a namespace its content is deleted. By then all API servers reject new
 * objects in it, and the objects that were created last can be listed.
 */
const graceMs = 5_000;

/** A failed deletion is retried after a minute at most. */
const backoff = { max: 60_000 };

/** Deletes the content of namespaces that are being deleted, a while after each change of them. */
export const namespaceController = ({
  concurrency,
  resyncMs,
}: NamespaceControllerOptions): Runnable =>
  queueController({
    name: "namespace-controller",
    setUp(ctx) {
      const { client, clock, log } = ctx;
      const namespaces = ctx.informer(Namespace);
      const deletion = { client, clock, log, discovery: createDiscovery(client) };
      const queue = ctx.queue({
        name: "namespace",
        workers: concurrency,
        limiter: controllerRateLimiter<string>(clock, backoff),
        failure: "deletion of namespace failed",
        logFields: (namespace) => ({ namespace }),
        async work(name) {
          if (!namespaces.get({ name })) return "done";
          const { remainingSeconds } = await deleteNamespace(name, deletion);
          if (remainingSeconds === undefined) return "done";
          return { afterMs: (Math.floor(remainingSeconds / 2) + 1) * 1000 };
        },
      });
      const enqueue = ({ metadata }: Namespace): void => {
        if (metadata.deletionTimestamp) queue.addAfter(metadata.name ?? "", graceMs);
      };
      ctx.onSynced(
        () => void namespaces.addHandler({ added: enqueue, updated: enqueue }, { resyncMs }),
      );
    },
  });
