import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  cellsOf,
  created,
  createFaults,
  read,
  template,
  updateFaults,
} from "../../apps/v1/workload.test-support.ts";
import { statusUpdated } from "../../kind.test-support.ts";
import { CronJob } from "./cron-job.ts";

const pods = template({ restartPolicy: "Never" });
const cronJob = (spec: object = {}, job: object = {}) => ({
  spec: { schedule: "0 * * * *", jobTemplate: { spec: { template: pods, ...job } }, ...spec },
});

test("CronJob: of the jobs that it makes, nothing is defaulted but the pods", () => {
  const { spec } = created(CronJob, cronJob());
  const { template: _, ...job } = spec.jobTemplate.spec;
  expect([job, spec.concurrencyPolicy, spec.suspend, spec.failedJobsHistoryLimit]).toEqual([
    {},
    "Allow",
    false,
    1,
  ]);
});

each<[rule: string, given: object, errors: readonly string[]]>([
  ["a schedule and a template are enough", cronJob(), []],
  [
    "a time zone in the schedule is refused, however good",
    cronJob({ schedule: "TZ=UTC 0 * * * *" }),
    [
      'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    "a time zone is not empty",
    cronJob({ timeZone: "" }),
    ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
  ],
  [
    "a time zone is not the server's own",
    cronJob({ timeZone: "Local" }),
    [
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  ],
  [
    "nor that in small letters, which is unknown too",
    cronJob({ timeZone: "local" }),
    [
      'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      'spec.timeZone: Invalid value: "local": unknown time zone local',
    ],
  ],
  [
    "the parts of a time zone's name are short",
    cronJob({ timeZone: "America/Anaxagorapolis" }),
    [
      'spec.timeZone: Invalid value: "America/Anaxagorapolis": unknown time zone America/Anaxagorapolis',
    ],
  ],
  [
    "no number is negative",
    cronJob({ startingDeadlineSeconds: -1, failedJobsHistoryLimit: -1 }),
    [
      "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "selectors are made by the server",
    cronJob({}, { selector: { matchLabels: { app: "a" } }, manualSelector: true }),
    [
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"app":"a"}}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
  ],
  [
    "pods that are always restarted never end",
    cronJob({}, { template: template() }),
    [
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ],
  [
    "its name leaves room for those of its jobs",
    { metadata: { name: "x".repeat(53) }, ...cronJob() },
    [`metadata.name: Invalid value: "${"x".repeat(53)}": must be no more than 52 characters`],
  ],
  [
    "without anything, all is missing",
    {},
    [
      "spec.schedule: Required value",
      "spec.jobTemplate.spec.template.spec.containers: Required value",
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ],
])("CronJob: %s", (_, given, errors) => {
  expect(createFaults(CronJob, given as never)).toEqual(errors);
});

const zoned = { schedule: "TZ=UTC 0 * * * *" };
each<[rule: string, from: object, to: object, errors: readonly string[]]>([
  ["a time zone in the schedule may stay", zoned, zoned, []],
  [
    "but not beside one in its field",
    zoned,
    { ...zoned, timeZone: "UTC" },
    [
      'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ],
  ],
  ["a time zone that is gone may stay", { timeZone: "Gone/Zone" }, { timeZone: "Gone/Zone" }, []],
])("CronJob update: %s", (_, from, to, errors) => {
  expect(updateFaults(CronJob, created(CronJob, cronJob(from)), cronJob(to))).toEqual(errors);
});

test("CronJob warnings: an update tells of a time zone in the schedule", () => {
  const object = created(CronJob, cronJob(zoned));
  expect(CronJob.strategy.warnings?.(object as never, object as never)).toEqual([
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
  ]);
});

test("CronJob status: the metadata is left to the checks of all kinds", () => {
  const old = cronJob();
  const changed = { metadata: { finalizers: ["a"] }, ...old };
  expect(statusUpdated(CronJob, old, changed)).toEqual([]);
});

test("CronJob columns", () => {
  const status = { lastScheduleTime: "1970-01-01T00:00:00Z", active: [{ name: "j" }] };
  const object = read(CronJob, { ...cronJob({ suspend: true }), status });
  const cells = ["w", "0 * * * *", "<none>", "True", 1, "5m", "<unknown>", "c", "i:1", "<none>"];
  expect(cellsOf(CronJob, object, 300_000)).toEqual(cells);
});
