import {
  int32,
  list,
  listOf,
  message,
  named,
  string,
  time,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { namedString } from "../../../schema/language/type.ts";
import { conditionStatus } from "../../meta/v1/condition.ts";

export const JobCondition = struct("io.k8s.api.batch.v1.JobCondition", {
  type: named(1, "v1.JobConditionType")
    .always()
    .expected()
    .known("Suspended", "Complete", "Failed", "FailureTarget", "SuccessCriteriaMet")
    .doc("What the condition is about."),
  status: conditionStatus(2),
  lastProbeTime: time(3).always().doc("When it was last looked at."),
  lastTransitionTime: time(4).always().doc("When the status last changed."),
  reason: string(5).doc("Why it changed, in one word."),
  message: string(6).doc("Why it changed, for people."),
}).doc("One aspect of a job's state.");
export interface JobCondition extends Infer<typeof JobCondition> {}

export const UncountedTerminatedPods = struct("io.k8s.api.batch.v1.UncountedTerminatedPods", {
  succeeded: listOf(1, namedString("types.UID")).set().doc("UIDs of pods that have succeeded."),
  failed: listOf(2, namedString("types.UID")).set().doc("UIDs of pods that have failed."),
}).doc("Pods that have ended, but are not in the counts yet.");
export interface UncountedTerminatedPods extends Infer<typeof UncountedTerminatedPods> {}

export const JobStatus = struct("io.k8s.api.batch.v1.JobStatus", {
  conditions: list(1, JobCondition).atomic().merge("type").doc("The job's state."),
  startTime: time(2).doc("When the job was first, or again, allowed to run."),
  completionTime: time(3).doc("When the job succeeded."),
  active: int32(4).doc("How many pods are pending or running."),
  succeeded: int32(5).doc("How many pods have succeeded."),
  failed: int32(6).doc("How many pods have failed."),
  terminating: int32(11).pointer().doc("How many pods are about to end."),
  completedIndexes: string(7).doc("The indexes that have succeeded: `1,3-5`."),
  failedIndexes: string(10).pointer().doc("The indexes that have failed: `1,3-5`."),
  uncountedTerminatedPods: message(8, UncountedTerminatedPods).doc(
    "Pods that have ended, but are not in the counts yet.",
  ),
  ready: int32(9).pointer().doc("How many of the active pods are ready."),
}).doc("What a job is at present.");
export interface JobStatus extends Infer<typeof JobStatus> {}

/** Whether a condition of the job holds. */
export const holds = ({ conditions = [] }: JobStatus, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === "True");

/** Whether the job has come to an end, good or bad. */
export const isFinished = (status: JobStatus): boolean =>
  holds(status, "Complete") || holds(status, "Failed");
