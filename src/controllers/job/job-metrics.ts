import type { Job } from "../../api/batch/v1/job.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import type { Metrics } from "../../base/metrics.ts";
import { parseIndexes, sizeOf } from "./index-set.ts";
import { isIndexed, type JobFacts, limitsEachIndex } from "./job-facts.ts";

/** What a reconcile of a job did with pods. */
export type SyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted";

/** The metrics of the job controller, with upstream's names. */
export function jobMetrics(metrics: Metrics) {
  const durations = metrics.histogram(definitions.duration);
  const syncs = metrics.counter(definitions.syncs);
  const finished = metrics.counter(definitions.finished);
  const podsFinished = metrics.counter(definitions.podsFinished);
  const policyActions = metrics.counter(definitions.policyActions);
  const indexes = metrics.counter(definitions.indexes);
  const creations = metrics.counter(definitions.creations);
  return {
    synced(job: Job, outcome: { result: "success" | "error"; action: SyncAction; ms: number }) {
      const { result, action, ms } = outcome;
      durations.of(modeOf(job), result, action).observe(ms / 1000);
      syncs.of(modeOf(job), result, action).add(1);
    },

    finished(job: Job, type: string, reason: string) {
      finished.of(modeOf(job), type === "Complete" ? "succeeded" : "failed", reason).add(1);
    },

    /** Counts the pods and indexes by which two statuses of a job differ. */
    counted(job: Job, { before, after }: { before: JobStatus; after: JobStatus }) {
      const mode = modeOf(job);
      const add = (result: string, count: number): void => {
        if (count > 0) podsFinished.of(mode, result).add(count);
      };
      add("failed", (after.failed ?? 0) - (before.failed ?? 0));
      if (!isIndexed(job)) {
        add("succeeded", (after.succeeded ?? 0) - (before.succeeded ?? 0));
        return;
      }
      // Indexes beyond the completions of a job that was scaled down are in neither.
      const size = (text: string | undefined): number =>
        sizeOf(parseIndexes(text, job.spec.completions ?? 0));
      const limit = limitsEachIndex(job) ? "perIndex" : "global";
      const succeeded = size(after.completedIndexes) - size(before.completedIndexes);
      const failed = size(after.failedIndexes) - size(before.failedIndexes);
      add("succeeded", succeeded);
      if (succeeded > 0) indexes.of("succeeded", limit).add(succeeded);
      if (failed > 0) indexes.of("failed", limit).add(failed);
    },

    policyActions(actions: readonly string[]) {
      for (const action of actions) policyActions.of(action).add(1);
    },

    created({ job, failed, terminating }: JobFacts, counts: { succeeded: number; failed: number }) {
      const replaces = job.spec.podReplacementPolicy ?? "TerminatingOrFailed";
      const reason =
        replaces === "Failed" && failed > 0
          ? "recreate_failed"
          : failed > 0 || terminating > 0
            ? "recreate_terminating_or_failed"
            : "new";
      for (const status of ["succeeded", "failed"] as const)
        if (counts[status] > 0) creations.of(reason, status).add(counts[status]);
    },
  };
}

const modeOf = ({ spec }: Job): string => spec.completionMode ?? "NonIndexed";

const subsystem = "job_controller";
const syncLabels = ["completion_mode", "result", "action"];
const definitions = {
  duration: {
    name: `${subsystem}_job_sync_duration_seconds`,
    help: "The time it took to sync a job",
    stability: "STABLE",
    labels: syncLabels,
    buckets: Array.from({ length: 15 }, (_, i) => 0.004 * 2 ** i),
  },
  syncs: {
    name: `${subsystem}_job_syncs_total`,
    help: "The number of job syncs",
    stability: "STABLE",
    labels: syncLabels,
  },
  finished: {
    name: `${subsystem}_jobs_finished_total`,
    help: "The number of finished jobs",
    stability: "STABLE",
    labels: ["completion_mode", "result", "reason"],
  },
  podsFinished: {
    name: `${subsystem}_job_pods_finished_total`,
    help: "The number of finished Pods that are fully tracked",
    stability: "STABLE",
    labels: ["completion_mode", "result"],
  },
  policyActions: {
    name: `${subsystem}_pod_failures_handled_by_failure_policy_total`,
    help: `The number of failed Pods handled by failure policy with
			respect to the failure policy action applied based on the matched
			rule. Possible values of the action label correspond to the
			possible values for the failure policy rule action, which are:
			"FailJob", "Ignore" and "Count".`,
    stability: "BETA",
    labels: ["action"],
  },
  indexes: {
    name: `${subsystem}_job_finished_indexes_total`,
    help: `The number of finished indexes. Possible values for the
			status label are: "succeeded", "failed". Possible values for the
			backoffLimit label are: "perIndex" and "global"`,
    stability: "ALPHA",
    labels: ["status", "backoffLimit"],
  },
  creations: {
    name: `${subsystem}_job_pods_creation_total`,
    help: `The number of Pods created by the Job controller labelled with a reason for the Pod creation.
This metric also distinguishes between Pods created using different PodReplacementPolicy settings.
Possible values of the "reason" label are:
"new", "recreate_terminating_or_failed", "recreate_failed".
Possible values of the "status" label are:
"succeeded", "failed".`,
    stability: "ALPHA",
    labels: ["reason", "status"],
  },
} as const;
