import {
  bool,
  int32,
  int64,
  message,
  named,
  string,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";
import { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { PodFailurePolicy, SuccessPolicy } from "./job-policies.ts";

/** Most of it is defaulted in jobs only, and not in the template of a cron job. */
export const JobSpec = struct("io.k8s.api.batch.v1.JobSpec", {
  parallelism: int32(1).pointer().doc("The most pods that may run at once."),
  completions: int32(2)
    .pointer()
    .doc("How many pods must succeed; without it, one is enough and the others follow."),
  activeDeadlineSeconds: int64(3).pointer().doc("Seconds after which a running job is ended."),
  podFailurePolicy: message(11, PodFailurePolicy).doc(
    "What follows from failures of pods. Never changes.",
  ),
  successPolicy: message(16, SuccessPolicy).doc(
    "When an indexed job succeeds before all of its indexes do. Never changes.",
  ),
  backoffLimit: int32(7).pointer().doc("How many failures of pods it takes to fail the job."),
  backoffLimitPerIndex: int32(12)
    .pointer()
    .doc("How many failures of its pods it takes to fail an index. Never changes."),
  maxFailedIndexes: int32(13)
    .pointer()
    .doc("How many indexes may fail; without it, all of them are tried."),
  selector: message(4, LabelSelector).doc(
    "Labels of the pods that belong to the job; made by the server. Never changes.",
  ),
  manualSelector: bool(5).pointer().doc("Whether the client has written selector and labels."),
  template: value(6, PodTemplateSpec).expected().doc("What pods are made from."),
  ttlSecondsAfterFinished: int32(8)
    .pointer()
    .doc("Seconds after its end at which the job is deleted; without it, it stays."),
  completionMode: named(9, "v1.CompletionMode")
    .pointer()
    .known("NonIndexed", "Indexed")
    .doc("Whether each pod has an index that must succeed once. Never changes."),
  suspend: bool(10).pointer().doc("Whether the job is held, without any pods."),
  podReplacementPolicy: named(14, "v1.PodReplacementPolicy")
    .pointer()
    .known("TerminatingOrFailed", "Failed")
    .doc("Whether a pod is replaced as soon as it is being deleted, or once it has failed."),
  managedBy: string(15)
    .pointer()
    .doc("The controller that runs the job, where it is not the cluster's own. Never changes."),
})
  .validatedElsewhere()
  .doc("What a job should be.");
export interface JobSpec extends Infer<typeof JobSpec> {}

export const JobTemplateSpec = struct("io.k8s.api.batch.v1.JobTemplateSpec", {
  metadata: value(1, ObjectMeta).doc("Labels and annotations of the jobs."),
  spec: value(2, JobSpec).doc("What the jobs are to be."),
}).doc("What jobs are made from.");
export interface JobTemplateSpec extends Infer<typeof JobTemplateSpec> {}
