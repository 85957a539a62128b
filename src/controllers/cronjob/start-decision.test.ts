import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import { startDecision } from "./start-decision.ts";

const now = Date.parse("2026-01-01T10:00:30Z");
const cronJob = (spec: object, status: object = {}, created = "2026-01-01T09:30:00Z"): CronJob =>
  ({
    metadata: { name: "c", namespace: "ns", creationTimestamp: created },
    spec: { schedule: "0 * * * *", timeZone: "UTC", concurrencyPolicy: "Allow", ...spec },
    status,
  }) as unknown as CronJob;

const minute = Date.parse("2026-01-01T10:00:00Z") / 60_000;
const active = { active: [{ name: "c-1" }] };

each<[string, object, object, string, string | undefined, number | undefined, string[]]>([
  ["a time has come", {}, {}, "09:30", "10:00", 3_570_100, []],
  ["none has come", {}, {}, "10:00:10", undefined, 3_570_100, []],
  [
    "its job was started",
    {},
    { lastScheduleTime: "2026-01-01T10:00:00Z" },
    "09:30",
    undefined,
    3_570_100,
    [],
  ],
  [
    "its job is active",
    {},
    { active: [{ name: `c-${minute}` }] },
    "09:30",
    undefined,
    3_570_100,
    [],
  ],
  [
    "the last of several that were missed",
    { schedule: "*/10 * * * *" },
    {},
    "08:00",
    "10:00",
    570_100,
    [],
  ],
  ["suspended", { suspend: true }, {}, "09:30", undefined, undefined, []],
  ["too late", { startingDeadlineSeconds: 29 }, {}, "09:30", undefined, 3_570_100, []],
  ["just in time", { startingDeadlineSeconds: 31 }, {}, "09:30", "10:00", 3_570_100, []],
  ["one is still active, and may be", {}, active, "09:30", "10:00", 3_570_100, []],
  [
    "one is still active, and forbids it",
    { concurrencyPolicy: "Forbid" },
    active,
    "09:30",
    undefined,
    3_570_100,
    [
      "Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid",
    ],
  ],
  ["100 missed times are few", { schedule: "* * * * *" }, {}, "08:20:10", "10:00", 30_100, []],
  [
    "101 missed times are many",
    { schedule: "* * * * *" },
    {},
    "08:19:10",
    "10:00",
    30_100,
    [
      "Warning TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    ],
  ],
  [
    "a time that never comes",
    { schedule: "0 0 31 2 *" },
    {},
    "09:30",
    undefined,
    undefined,
    [
      "Warning InvalidSchedule invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second",
    ],
  ],
  [
    "no schedule",
    { schedule: "* *" },
    {},
    "09:30",
    undefined,
    undefined,
    [
      'Warning UnparseableSchedule unparseable schedule: "* *" : expected exactly 5 fields, found 2: [* *]',
    ],
  ],
  [
    "no zone",
    { timeZone: "Mars/Olympus" },
    {},
    "09:30",
    undefined,
    undefined,
    ['Warning UnknownTimeZone invalid timeZone: "Mars/Olympus": unknown time zone Mars/Olympus'],
  ],
  [
    "a zone in the schedule",
    { schedule: "TZ=Asia/Kathmandu 45 15 * * *" },
    {},
    "09:30",
    "10:00",
    86_370_100,
    [
      'Warning UnsupportedSchedule CRON_TZ or TZ used in schedule "TZ=Asia/Kathmandu 45 15 * * *" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ],
  ],
  [
    "every so often, counted from the creation",
    { schedule: "@every 20m" },
    {},
    "09:35:07",
    "09:55:07",
    876_100 + 1000,
    [],
  ],
])("startDecision: %s", (_, spec, status, created, time, nextMs, events) => {
  const at = (text: string): string => `2026-01-01T${text.length === 5 ? `${text}:00` : text}Z`;
  const decision = startDecision(cronJob(spec, status, at(created)), now);
  expect({
    ...decision,
    events: decision.events.map(({ type, reason, note }) => `${type} ${reason} ${note}`),
  }).toEqual({ time: time && Date.parse(at(time)), nextMs, events });
});
