import type { CronJob } from "../../../api/batch/v1/cron-job.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { podTemplateLines } from "../pods/pod-template-lines.ts";
import { timeText } from "../time-text.ts";
import { jobSelector } from "./job.ts";

export const describeCronJob = objectDescriber(
  describedKinds.cronJob,
  async (d, cronJob, context) => {
    const { metadata, spec, status } = cronJob;
    const events = await context.events(cronJob);
    headLines(d, metadata, true);
    d.field("Schedule", spec.schedule ?? "");
    d.field("Concurrency Policy", spec.concurrencyPolicy ?? "");
    d.field("Suspend", spec.suspend === undefined ? unset : spec.suspend ? "True" : "False");
    d.field("Time Zone", spec.timeZone ?? unset);
    d.field("Successful Job History Limit", spec.successfulJobsHistoryLimit ?? unset);
    d.field("Failed Job History Limit", spec.failedJobsHistoryLimit ?? unset);
    const { startingDeadlineSeconds: deadline } = spec;
    d.field("Starting Deadline Seconds", deadline === undefined ? unset : `${deadline}s`);
    jobTemplateLines(d, spec.jobTemplate);
    const { lastScheduleTime, active = [] } = status;
    d.field("Last Schedule Time", lastScheduleTime ? timeText(lastScheduleTime) : unset);
    d.field("Active Jobs", active.map(({ name }) => name ?? "").join(", ") || "<none>");
    eventLines(d, events, context.clock);
  },
);

const unset = "<unset>";

function jobTemplateLines(d: Description, { spec }: CronJob["spec"]["jobTemplate"]): void {
  const { selector, parallelism, completions, activeDeadlineSeconds, template } = spec ?? {};
  d.field("Selector", selector ? jobSelector(selector) : unset);
  d.field("Parallelism", parallelism ?? unset);
  d.field("Completions", completions ?? unset);
  if (activeDeadlineSeconds !== undefined)
    d.field("Active Deadline Seconds", `${activeDeadlineSeconds}s`);
  podTemplateLines(d, template);
}
