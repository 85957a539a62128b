import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { isPodFailed } from "./failed-pod.ts";
import { sizeOf } from "./index-set.ts";
import { type ConditionInput, conditionOf, isTrue } from "./job-conditions.ts";
import type { JobFacts } from "./job-facts.ts";
import { matchFailurePolicy } from "./pod-failure-policy.ts";
import { metSuccessRule } from "./success-policy.ts";

/**
 * Decides whether a job is to end although it has pods that run: `SuccessCriteriaMet` and `FailureTarget`
 * if that is new, or `Failed` if the status has `FailureTarget` already. What was decided once stays.
 */
export function jobVerdict(facts: JobFacts, now: number): ConditionInput | undefined {
  const { job } = facts;
  const met = conditionOf(job.status, "SuccessCriteriaMet");
  if (met) return met;
  const target = conditionOf(job.status, "FailureTarget");
  if (target) return { ...target, type: "Failed" };
  return failureOf(facts, now) ?? successOf(facts);
}

/** In how many milliseconds the job has been active for too long; undefined if it may run for any time. */
export function deadlineIn({ spec, status }: Job, now: number): number | undefined {
  const start = timeOf(status.startTime);
  const { activeDeadlineSeconds, suspend } = spec;
  if (activeDeadlineSeconds === undefined || start === undefined || suspend) return undefined;
  return start + Number(activeDeadlineSeconds) * 1000 - now;
}

/** Decides whether a job without such an end is complete, given how many of its pods are active now. */
export function completion(
  { job, succeeded }: JobFacts,
  active: number,
): ConditionInput | undefined {
  const needed = job.spec.completions ?? 1;
  if (succeeded < needed || active > 0) return undefined;
  const message = "Reached expected number of succeeded pods";
  return isTrue("SuccessCriteriaMet", "CompletionsReached", message);
}

const failed = (reason: string, message: string): ConditionInput =>
  isTrue("FailureTarget", reason, message);

function failureOf(facts: JobFacts, now: number): ConditionInput | undefined {
  const { job, pods, indexes } = facts;
  const { spec } = job;
  const message = failJobMessage(job, pods);
  if (message !== undefined) return failed("PodFailurePolicy", message);
  if (facts.failed > (spec.backoffLimit ?? 0) || hasTooManyRestarts(job, pods))
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  if ((deadlineIn(job, now) ?? 1) <= 0)
    return failed("DeadlineExceeded", "Job was active longer than specified deadline");
  if (!indexes?.failed) return undefined;
  const failedIndexes = sizeOf(indexes.failed);
  if (spec.maxFailedIndexes !== undefined && failedIndexes > spec.maxFailedIndexes)
    return failed(
      "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes",
    );
  if (failedIndexes > 0 && failedIndexes + sizeOf(indexes.succeeded) >= (spec.completions ?? 0))
    return failed("FailedIndexes", "Job has failed indexes");
  return undefined;
}

function successOf({ job: { spec }, indexes }: JobFacts): ConditionInput | undefined {
  if (!indexes) return undefined;
  const rule = metSuccessRule(spec.successPolicy, indexes.succeeded, spec.completions ?? 0);
  return rule === undefined ? undefined : isTrue("SuccessCriteriaMet", "SuccessPolicy", rule);
}

function failJobMessage(job: Job, pods: readonly Pod[]): string | undefined {
  const { podFailurePolicy } = job.spec;
  if (!podFailurePolicy) return undefined;
  for (const pod of pods) {
    const { message } = isPodFailed(pod, job)
      ? matchFailurePolicy(podFailurePolicy, pod)
      : { message: undefined };
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Where pods restart their containers, restarts count as failures do elsewhere. */
function hasTooManyRestarts({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== "OnFailure") return false;
  const restarts = pods
    .filter(({ status }) => status.phase === "Running" || status.phase === "Pending")
    .flatMap(({ status }) => [
      ...(status.initContainerStatuses ?? []),
      ...(status.containerStatuses ?? []),
    ])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return restarts >= Math.max(1, spec.backoffLimit ?? 0);
}
