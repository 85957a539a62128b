import { Job } from "../../api/batch/v1/job.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { otherManager } from "./managed-by.ts";
import { isTracked } from "./tracking-finalizer.ts";

/** Counts what pods and jobs come by, whoever their controller is. */
export const observedJobMetrics: Runnable = queueController({
  name: "job-controller-metrics",
  setUp(ctx) {
    const terminated = ctx.metrics.counter({
      name: "job_controller_terminated_pods_tracking_finalizer_total",
      help: `The number of terminated pods (phase=Failed|Succeeded)
that have the finalizer batch.kubernetes.io/job-tracking
The event label can be "add" or "delete".`,
      stability: "BETA",
      labels: ["event"],
    });
    const external = ctx.metrics.counter({
      name: "job_controller_jobs_by_external_controller_total",
      help: "The number of Jobs managed by an external controller",
      stability: "ALPHA",
      labels: ["controller_name"],
    });
    const pods = ctx.informer(Pod);
    const jobs = ctx.informer(Job);
    const changed = (was: boolean, is: boolean): void => {
      if (was !== is) terminated.of(is ? "add" : "delete").add(1);
    };
    ctx.onSynced(() => {
      pods.addHandler({
        added: (pod) => changed(false, isHeld(pod)),
        updated: (pod, old) => changed(isHeld(old), isHeld(pod)),
        deleted: (pod) => changed(isHeld(pod), false),
      });
      jobs.addHandler({
        added(job) {
          const manager = otherManager(job);
          if (manager !== undefined) external.of(manager).add(1);
        },
      });
    });
  },
});

/** Whether a pod has ended, and waits to be counted. */
const isHeld = (pod: Pod): boolean =>
  (pod.status.phase === "Failed" || pod.status.phase === "Succeeded") && isTracked(pod);
