import type { Job } from "../../../api/batch/v1/job.ts";
import { humanDuration, millisOf, parseTime } from "../../../schema/values/time.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { controllerText, metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { podTemplateLines } from "../pods/pod-template-lines.ts";
import { selectorQuery } from "../selector-text.ts";
import { timeText } from "../time-text.ts";

export const describeJob = objectDescriber(describedKinds.job, async (d, job, context) => {
  const { metadata, spec } = job;
  const events = await context.events(job);
  d.field("Name", metadata.name ?? "");
  d.field("Namespace", metadata.namespace ?? "");
  d.field("Selector", jobSelector(spec.selector));
  metadataLines(d, metadata);
  d.optionalField("Controlled By", controllerText(metadata));
  d.optionalField("Parallelism", spec.parallelism);
  d.field("Completions", spec.completions ?? "<unset>");
  d.optionalField("Completion Mode", spec.completionMode);
  d.optionalField("Suspend", spec.suspend);
  d.optionalField("Backoff Limit", spec.backoffLimit);
  d.optionalField("TTL Seconds After Finished", spec.ttlSecondsAfterFinished);
  progressLines(d, job);
  podTemplateLines(d, spec.template);
  eventLines(d, events, context.clock);
});

/** The selector of a job, or why there is none. */
export function jobSelector(selector: Parameters<typeof selectorQuery>[0]): string {
  try {
    return selectorQuery(selector);
  } catch (error) {
    return `Failed to get selector: ${(error as Error).message}`;
  }
}

function progressLines(d: Description, { spec, status }: Job): void {
  const { startTime, completionTime, active = 0, ready, succeeded = 0, failed = 0 } = status;
  if (startTime) d.field("Start Time", timeText(startTime));
  if (completionTime) d.field("Completed At", timeText(completionTime));
  if (startTime && completionTime) {
    const lasted = millisOf(parseTime(completionTime)) - millisOf(parseTime(startTime));
    d.field("Duration", humanDuration(lasted));
  }
  const { activeDeadlineSeconds, completionMode } = spec;
  if (activeDeadlineSeconds !== undefined)
    d.field("Active Deadline Seconds", `${activeDeadlineSeconds}s`);
  const readyText = ready === undefined ? "" : ` (${ready} Ready)`;
  d.field(
    "Pods Statuses",
    `${active} Active${readyText} / ${succeeded} Succeeded / ${failed} Failed`,
  );
  if (completionMode === "Indexed")
    d.field("Completed Indexes", indexesText(status.completedIndexes ?? ""));
}

const softLimit = 50;

/** The indexes, cut off after the first comma beyond a limit. */
function indexesText(indexes: string): string {
  if (indexes === "") return "<none>";
  const comma = indexes.indexOf(",", softLimit);
  return comma < 0 ? indexes : `${indexes.slice(0, comma + 1)}...`;
}
