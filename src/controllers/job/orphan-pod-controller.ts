import { Job } from "../../api/batch/v1/job.ts";
import { isFinished } from "../../api/batch/v1/job-status.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { itemBackoff } from "../../base/queue/rate-limiter.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import { controllerOf } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { otherManager } from "./managed-by.ts";
import { isTracked, releasePod } from "./tracking-finalizer.ts";

/** Removes the finalizer of pods that no job is going to count: their job is gone, has ended, or released them. */
export const orphanPodController = controller({
  name: "job-orphan-pod-controller",
  account: "job-controller",
  for: Pod,
  predicates: [
    // The owner of a pod that is not being deleted counts it, or comes by in `watches`.
    ({ type, object }) =>
      type !== "deleted" &&
      isTracked(object) &&
      (!controllerOf(object) || object.metadata.deletionTimestamp !== undefined),
  ],
  watches: [
    {
      kind: Job,
      predicates: [({ type, object }) => type === "deleted" || isFinished(object.status)],
      async map(job, { cache }) {
        const { matches } = labelSelector(job.spec.selector);
        const pods = await cache.list(Pod, { namespace: job.metadata.namespace });
        return pods
          .filter((pod) => isTracked(pod) && matches(pod.metadata.labels))
          .map((pod) => keyOf(pod));
      },
    },
  ],
  rateLimiter: () => itemBackoff({ base: 1000, max: 60_000 }),

  async reconcile(key, ctx) {
    const pod = await ctx.cache.get(Pod, key);
    if (pod && (await isOrphan(pod, ctx.cache))) await releasePod(ctx, pod);
  },
});

async function isOrphan(pod: Pod, cache: Cache): Promise<boolean> {
  const owner = controllerOf(pod);
  if (!owner) return true;
  if (owner.kind !== "Job" || owner.apiVersion !== "batch/v1") return false;
  const job = await cache.get(Job, { namespace: pod.metadata.namespace, name: owner.name });
  if (job?.metadata.uid !== owner.uid) return true;
  return otherManager(job) === undefined && isFinished(job.status);
}
