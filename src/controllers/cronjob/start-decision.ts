import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import { timeZoneFault } from "../../api/batch/v1/time-zone.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";
import { quote } from "../../schema/values/quote.ts";
import { InvalidSchedule, type Missed, missedSchedule, nextScheduleIn } from "./missed-schedule.ts";
import { type NextTime, scheduleOf } from "./schedule-of.ts";
import { jobName } from "./scheduled-job.ts";

/** Whether a job is due, when to look again, and what to say of it. */
export interface StartDecision {
  /** The time whose job is due, in milliseconds since the epoch. */
  readonly time?: number | undefined;
  /** When the next time comes; undefined if the cron job has to change first. */
  readonly nextMs?: number | undefined;
  readonly events: readonly RecordedEvent[];
}

const warning = (reason: string, note: string): RecordedEvent => ({
  type: "Warning",
  reason,
  note,
});

/** Decides whether the job of a time is due, by the schedule and the status as it is now. */
export function startDecision(cronJob: CronJob, now: number): StartDecision {
  const { spec, metadata } = cronJob;
  const { schedule, timeZone } = spec;
  if (metadata.deletionTimestamp) return { events: [] };
  const fault = timeZone === undefined ? undefined : timeZoneFault(timeZone);
  if (fault !== undefined)
    return {
      events: [warning("UnknownTimeZone", `invalid timeZone: ${quote(timeZone ?? "")}: ${fault}`)],
    };
  if (spec.suspend) return { events: [] };
  const events = schedule.includes("TZ") ? [zoneWarning(schedule)] : [];
  let next: NextTime;
  try {
    next = scheduleOf(cronJob);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const note = `unparseable schedule: ${quote(schedule)} : ${error.message}`;
    return { events: [...events, warning("UnparseableSchedule", note)] };
  }
  const missed = missedOf(cronJob, next, now);
  if (missed instanceof InvalidSchedule) {
    const note = `invalid schedule: ${schedule} : ${missed.message}`;
    return { events: [...events, warning("InvalidSchedule", note)] };
  }
  const due = dueTime(cronJob, missed, now);
  // A job that is started changes the last scheduled time.
  const after = due.time === undefined ? cronJob : startedAt(cronJob, due.time);
  return {
    time: due.time,
    nextMs: nextScheduleIn(after, next, now),
    events: [...events, ...due.events],
  };
}

const zoneWarning = (schedule: string): RecordedEvent =>
  warning(
    "UnsupportedSchedule",
    `CRON_TZ or TZ used in schedule ${quote(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
  );

function missedOf(cronJob: CronJob, next: NextTime, now: number): Missed | InvalidSchedule {
  try {
    return missedSchedule(cronJob, next, { now, usesDeadline: true });
  } catch (error) {
    if (error instanceof InvalidSchedule) return error;
    throw error;
  }
}

function dueTime(
  cronJob: CronJob,
  { latest: time, count }: Missed,
  now: number,
): Pick<StartDecision, "time" | "events"> {
  if (time === undefined) return { events: [] };
  const { spec, status } = cronJob;
  const { active = [] } = status;
  const events: RecordedEvent[] = [];
  if (count === "many")
    events.push(
      warning(
        "TooManyMissedTimes",
        "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
      ),
    );
  const deadline = Number(spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  if (time + deadline < now) {
    const text = new Date(time).toUTCString().replace("GMT", "+0000");
    events.push(warning("MissSchedule", `Missed scheduled time to start a job: ${text}`));
    return { events };
  }
  const name = jobName(cronJob, time);
  const isStarted =
    timeOf(status.lastScheduleTime) === time || active.some((one) => one.name === name);
  if (isStarted) return { events };
  if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
    const note =
      "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { events: [...events, { type: "Normal", reason: "JobAlreadyActive", note }] };
  }
  return { time, events };
}

/** The cron job as it is once the job of a time is started. */
export const startedAt = (cronJob: CronJob, time: number): CronJob => ({
  ...cronJob,
  status: {
    ...cronJob.status,
    lastScheduleTime: new Date(time).toISOString().replace(".000Z", "Z"),
  },
});
