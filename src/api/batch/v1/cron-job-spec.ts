import {
  bool,
  int32,
  int64,
  list,
  named,
  string,
  time,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { ObjectReference } from "../../core/v1/object-reference.ts";
import { JobTemplateSpec } from "./job-spec.ts";

export const CronJobSpec = struct("io.k8s.api.batch.v1.CronJobSpec", {
  schedule: string(1).always().expected().doc("When jobs are made, in the form of cron."),
  timeZone: string(8)
    .pointer()
    .doc("The time zone of the schedule; without it, the one of the controller."),
  startingDeadlineSeconds: int64(2)
    .pointer()
    .doc("Seconds by which a job may be late; later ones are left out."),
  concurrencyPolicy: named(3, "v1.ConcurrencyPolicy")
    .known("Allow", "Forbid", "Replace")
    .default("Allow")
    .doc("What becomes of a job that is due while the one before it still runs."),
  suspend: bool(4).pointer().default(false).doc("Whether no more jobs are made for now."),
  jobTemplate: value(5, JobTemplateSpec).expected().doc("What jobs are made from."),
  successfulJobsHistoryLimit: int32(6)
    .pointer()
    .default(3)
    .doc("How many jobs that have succeeded are kept."),
  failedJobsHistoryLimit: int32(7)
    .pointer()
    .default(1)
    .doc("How many jobs that have failed are kept."),
})
  .validatedElsewhere()
  .doc("What a cron job should be.");
export interface CronJobSpec extends Infer<typeof CronJobSpec> {}

export const CronJobStatus = struct("io.k8s.api.batch.v1.CronJobStatus", {
  active: list(1, ObjectReference).atomic().doc("The jobs that are running."),
  lastScheduleTime: time(4).doc("When a job was last made in time."),
  lastSuccessfulTime: time(5).doc("When a job last succeeded."),
}).doc("What a cron job is at present.");
export interface CronJobStatus extends Infer<typeof CronJobStatus> {}
