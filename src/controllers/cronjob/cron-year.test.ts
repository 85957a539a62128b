import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import { startDecision, startedAt } from "./start-decision.ts";

const zones = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe"];
const begin = Date.parse("2026-01-01T00:00:00Z");
const end = Date.parse("2027-01-01T00:00:00Z");

/** What clocks of a zone show at each quarter of an hour of the year at which a job is due, twice if they go back. */
function expected(zone: string): string[] {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  const times: string[] = [];
  for (let time = begin + 900_000; time < end; time += 900_000) {
    const local = format.format(time);
    if (/ 0[1-3]:(00|30)$/.test(local)) times.push(`${new Date(time).toISOString()} ${local}`);
  }
  return times;
}

/** Wakes up only when a decision says so, and starts what is due. */
function year(timeZone: string): { starts: string[]; wakes: number } {
  let cronJob = {
    metadata: { name: "c", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { schedule: "0,30 1-3 * * *", timeZone, concurrencyPolicy: "Allow" },
    status: {},
  } as unknown as CronJob;
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  });
  const starts: string[] = [];
  let wakes = 0;
  for (let now = begin; now < end; wakes++) {
    const { time, nextMs = Number.POSITIVE_INFINITY } = startDecision(cronJob, now);
    if (time !== undefined) {
      starts.push(`${new Date(time).toISOString()} ${format.format(time)}`);
      cronJob = startedAt(cronJob, time);
    }
    now += nextMs;
  }
  return { starts, wakes };
}

each<[string]>(zones.map((zone) => [zone] as [string]) as [[string], ...[string][]])(
  "startDecision: a year in %s: each time once, as the clocks show it, and one wake for each",
  (zone) => {
    const { starts, wakes } = year(zone);
    expect(starts).toEqual(expected(zone));
    expect(wakes).toBe(starts.length + 1);
  },
);
