import type { Column } from "../../../schema/language/kind.ts";
import { humanDuration, millisOf, parseTime } from "../../../schema/values/time.ts";
import { containersColumn, imagesColumn, selectorText } from "../../apps/v1/template-columns.ts";
import { ageColumn, nameColumn, since } from "../../meta/v1/columns.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import type { JobSpec } from "./job-spec.ts";
import type { JobStatus } from "./job-status.ts";

interface JobBody {
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
  readonly status: JobStatus;
}

/** What upstream says of a job's selector, in the tables of jobs and of cron jobs. */
export const selectorDescription =
  "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

export const jobColumns: readonly Column<JobBody>[] = [
  nameColumn,
  { name: "Status", type: "string", description: "Status of the job.", cell: stateOf },
  {
    name: "Completions",
    type: "string",
    description:
      "The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.",
    cell: ({ spec, status }) => `${status.succeeded ?? 0}/${aimOf(spec)}`,
  },
  {
    name: "Duration",
    type: "string",
    description: "Time required to complete the job.",
    cell: ({ status }, { now }) => durationOf(status, now),
  },
  ageColumn,
  containersColumn,
  imagesColumn,
  {
    name: "Selector",
    type: "string",
    wide: true,
    description: selectorDescription,
    cell: ({ spec }) => selectorText(spec.selector),
  },
];

function stateOf({ metadata, status }: JobBody): string {
  const holds = (type: string) =>
    status.conditions?.find((condition) => condition.type === type)?.status === "True";
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (metadata.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(holds) ?? "Running";
}

function aimOf({ completions, parallelism = 0 }: JobSpec): string {
  if (completions !== undefined) return `${completions}`;
  return parallelism > 1 ? `1 of ${parallelism}` : "1";
}

function durationOf({ startTime, completionTime }: JobStatus, now: number): string {
  if (!startTime) return "";
  if (!completionTime) return since(startTime, now);
  return humanDuration(millisOf(parseTime(completionTime)) - millisOf(parseTime(startTime)));
}
