import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { NextTime } from "./schedule-of.ts";

/** The schedule of a cron job, as of now. */
export interface Missed {
  /** From when on times count: the last one that led to a job, or the creation. */
  readonly earliest: number;
  /** The last time that has come; undefined if none has. */
  readonly latest: number | undefined;
  readonly count: "none" | "few" | "many";
}

/** Times that never come, such as the 31st of February. */
export class InvalidSchedule extends Error {
  override readonly name = "InvalidSchedule";
  constructor() {
    super("time difference between two schedules is less than 1 second");
  }
}

/** More missed times than this lead to a warning. */
const many = 100;

/** The last time that has come since the last job; `usesDeadline`: and for which it is not too late. */
export function missedSchedule(
  { metadata, spec, status }: CronJob,
  next: NextTime,
  { now, usesDeadline }: { readonly now: number; readonly usesDeadline: boolean },
): Missed {
  const { startingDeadlineSeconds } = spec;
  const since = timeOf(status.lastScheduleTime) ?? timeOf(metadata.creationTimestamp) ?? 0;
  const deadline =
    usesDeadline && startingDeadlineSeconds !== undefined
      ? now - Number(startingDeadlineSeconds) * 1000
      : Number.NEGATIVE_INFINITY;
  const earliest = Math.max(since, deadline);
  const first = next(earliest);
  if (first === undefined) throw new InvalidSchedule();
  if (now < first) return { earliest, latest: undefined, count: "none" };
  const second = next(first);
  if (second !== undefined && now < second) return { earliest, latest: first, count: "none" };
  if (second === undefined || second <= first) throw new InvalidSchedule();
  const period = Math.round((second - first) / 1000) * 1000;
  const periods = Math.floor((now - first) / period);
  // One period less than what may fit, because not all periods are as long as the first.
  const latest = lastBefore(now, next, first + (periods - 1) * period);
  return { earliest, latest, count: periods + 1 > many ? "many" : "few" };
}

function lastBefore(now: number, next: NextTime, from: number): number | undefined {
  let latest: number | undefined;
  for (let time = next(from); time !== undefined && time <= now; time = next(time)) latest = time;
  return latest;
}

/** Later than the time itself, in case that clocks differ. */
const delayMs = 100;

/** In how many milliseconds the next time comes; undefined if there is none. */
export function nextScheduleIn(cronJob: CronJob, next: NextTime, now: number): number | undefined {
  const time = next(lastScheduled(cronJob, next, now));
  return time === undefined ? undefined : time + delayMs - now;
}

function lastScheduled(cronJob: CronJob, next: NextTime, now: number): number {
  try {
    const missed = missedSchedule(cronJob, next, { now, usesDeadline: false });
    return missed.latest ?? (missed.count === "none" ? missed.earliest : now);
  } catch (error) {
    if (error instanceof InvalidSchedule) return now;
    throw error;
  }
}
