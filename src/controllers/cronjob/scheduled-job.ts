import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import { withController } from "../../controller-runtime/objects/owner-references.ts";
import { zoneOf } from "./wall-time.ts";

const timestampAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The name of the job of a time: it keeps a job from being created twice. */
export const jobName = ({ metadata }: CronJob, time: number): string =>
  `${metadata.name}-${Math.floor(time / 60_000)}`;

/** The job of a time, in milliseconds since the epoch. */
export function scheduledJob(
  cronJob: CronJob,
  time: number,
): Pick<Job, "apiVersion" | "kind" | "metadata" | "spec"> {
  const { jobTemplate, timeZone = "" } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(cronJob, time),
      namespace: cronJob.metadata.namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, [timestampAnnotation]: localTime(time, timeZone) },
    },
    spec: jobTemplate.spec,
  } as const;
  return withController(job, cronJob);
}

/** The time for which a job was created; undefined for jobs that users create from a cron job. */
export function scheduledTime({ metadata }: Job): number | undefined {
  const time = Date.parse(metadata.annotations?.[timestampAnnotation] ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** A time with the offset of a zone: `2026-01-02T15:04:05+01:00`. */
function localTime(time: number, timeZone: string): string {
  const offset = zoneOf(timeZone).offsetAt(time);
  const text = new Date(time + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const pad = (part: number): string => `${part}`.padStart(2, "0");
  return `${text}${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
