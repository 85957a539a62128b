import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import { type CronSchedule, parseCronSchedule } from "../../api/batch/v1/cron-schedule.ts";
import { nextTime } from "./next-time.ts";
import { zoneOf } from "./wall-time.ts";

/** The first time of a schedule after a time; undefined if there is none in the next years. */
export type NextTime = (after: number) => number | undefined;

/**
 * The schedule of a cron job in its time zone, or in that of the process; throws a SyntaxError if it cannot
 * be read. A zone in the schedule itself, as old objects may have one, wins.
 */
export function scheduleOf({ spec }: Pick<CronJob, "spec">): NextTime {
  const schedule: CronSchedule = parseCronSchedule(spec.schedule);
  const zone = zoneOf(schedule.timeZone ?? spec.timeZone ?? "Local");
  return (after) => nextTime(schedule, after, zone);
}
