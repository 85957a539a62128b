import type { At } from "../../../schema/language/report.ts";
import { validateNonnegative } from "../../apps/v1/replica-validation.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import { shownSelector } from "../../meta/v1/label-selector.ts";
import type { CronJobSpec } from "./cron-job-spec.ts";
import { parseCronSchedule } from "./cron-schedule.ts";
import type { JobTemplateSpec } from "./job-spec.ts";
import { validateJobTemplate } from "./job-validation.ts";
import { timeZoneFault } from "./time-zone.ts";

export interface CronJobValidationOptions {
  readonly pod: PodValidationOptions;
  /** As stored, in an update: what it has, it may keep. */
  readonly old?: CronJobSpec;
}

export function validateCronJobSpec(
  spec: CronJobSpec,
  at: At,
  { pod, old }: CronJobValidationOptions,
): void {
  const mayNameZone = old?.schedule.includes("TZ") ?? false;
  if (spec.schedule === "") at.required("schedule");
  else validateSchedule(spec, at, mayNameZone);
  validateNonnegative(spec, at, "startingDeadlineSeconds");
  if (spec.timeZone !== old?.timeZone) validateTimeZone(spec.timeZone, at.child("timeZone"));
  const { concurrencyPolicy } = spec;
  if (!concurrencyPolicies.includes(concurrencyPolicy))
    at.notSupported("concurrencyPolicy", concurrencyPolicy, concurrencyPolicies);
  validateTemplate(spec.jobTemplate, at.child("jobTemplate"), pod);
  validateNonnegative(spec, at, "successfulJobsHistoryLimit", "failedJobsHistoryLimit");
}

const concurrencyPolicies = ["Allow", "Forbid", "Replace"];

function validateSchedule({ schedule, timeZone }: CronJobSpec, at: At, mayNameZone: boolean): void {
  try {
    parseCronSchedule(schedule);
  } catch (error) {
    at.invalid("schedule", schedule, error instanceof Error ? error.message : `${error}`);
  }
  if (!schedule.includes("TZ")) return;
  if (!mayNameZone)
    at.invalid(
      "schedule",
      schedule,
      "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    );
  else if (timeZone !== undefined)
    at.invalid(
      "schedule",
      schedule,
      "cannot use both timeZone field and TZ or CRON_TZ in schedule",
    );
}

function validateTimeZone(zone: string | undefined, at: At): void {
  if (zone === undefined) return;
  if (zone === "") {
    at.invalid("", zone, "timeZone must be nil or non-empty string");
    return;
  }
  if (!zone.split("/").every(isZoneName)) {
    at.invalid("", zone, `unknown time zone ${zone}`);
    return;
  }
  if (zone.toLowerCase() === "local")
    at.invalid(
      "",
      zone,
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
    );
  const fault = timeZoneFault(zone);
  if (fault) at.invalid("", zone, fault);
}

const isZoneName = (part: string): boolean =>
  part !== "." && part !== ".." && /^(?!-)[A-Za-z.\-_0-9+]{1,14}$/.test(part);

/** The jobs of a cron job have selectors of their own, which the server makes. */
function validateTemplate({ spec }: JobTemplateSpec, at: At, options: PodValidationOptions): void {
  validateJobTemplate(spec, at.child("spec"), options);
  if (spec.selector)
    at.invalid("spec.selector", shownSelector(spec.selector), "`selector` will be auto-generated");
  if (spec.manualSelector) at.notSupported("spec.manualSelector", true, ["nil", "false"]);
}
