import { Job } from "../../api/batch/v1/job.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { expiryOf } from "./expiry.ts";

/** Deletes jobs some time after they have ended, if they say so. */
export const ttlAfterFinishedController = controller({
  name: "ttl-after-finished-controller",
  for: Job,
  predicates: [({ type, object }) => type !== "deleted" && expiryOf(object) !== undefined],

  async reconcile(key, { cache, client, clock, metrics, signal }) {
    const job = await cache.get(Job, key);
    const expiry = job && expiryOf(job);
    if (expiry === undefined) return;
    if (expiry > clock.now()) return { requeueAfterMs: expiry - clock.now() };
    try {
      // The cached job may be old: somebody may have just extended its time.
      const fresh = await client.get(Job, key, { signal });
      const expiredAt = expiryOf(fresh);
      if (expiredAt === undefined) return;
      if (expiredAt > clock.now()) return { requeueAfterMs: expiredAt - clock.now() };
      const { uid, resourceVersion } = fresh.metadata;
      await client.delete(Job, key, {
        propagationPolicy: "Foreground",
        preconditions: { uid, resourceVersion },
        signal,
      });
      metrics
        .histogram(durationMetric)
        .of()
        .observe((clock.now() - expiredAt) / 1000);
    } catch (error) {
      if (!StatusError.is(error, "NotFound")) throw error;
    }
  },
});

const durationMetric = {
  name: "ttl_after_finished_controller_job_deletion_duration_seconds",
  help: "The time it took to delete the job since it became eligible for deletion",
  stability: "ALPHA",
  buckets: Array.from({ length: 14 }, (_, i) => 0.1 * 2 ** i),
} as const;
