import { afterEach, beforeEach, expect, test } from "vitest";
import { CronJob } from "../../api/batch/v1/cron-job.ts";
import { Job } from "../../api/batch/v1/job.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { cronJobModule } from "./cron-job-module.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(...partsOf(cronJobModule));
  // The beginning of an hour makes times easy to read.
  await cluster.advance(3_600_000 - (cluster.clock.now() % 3_600_000) + 10_000);
});
afterEach(() => cluster.end());

const containers = [{ name: "c", image: "app:1" }];
const create = (spec: object = {}): Promise<CronJob> =>
  cluster.client.create(CronJob, {
    metadata: { name: "c" },
    spec: {
      schedule: "* * * * *",
      timeZone: "Europe/Berlin",
      jobTemplate: {
        metadata: { labels: { app: "c" }, annotations: { a: "b" } },
        spec: { template: { spec: { restartPolicy: "Never", containers } } },
      },
      ...spec,
    } as never,
  });

const jobs = async (): Promise<readonly Job[]> =>
  (await cluster.client.list(Job, { namespace: "default" })).items;

const status = async (): Promise<CronJob["status"]> => {
  await cluster.settled();
  return (await cluster.client.get(CronJob, { name: "c" })).status;
};

async function end(job: Job | undefined, type: "Complete" | "Failed"): Promise<void> {
  if (!job) throw new Error("there is no job");
  const time = new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z/, "Z");
  const condition = (type: string) => ({
    ...{ type, status: "True" as const, reason: "R", message: "m" },
    ...{ lastProbeTime: time, lastTransitionTime: time },
  });
  const interim = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const ended = {
    startTime: time,
    ...(type === "Complete" && { completionTime: time, succeeded: 1 }),
    conditions: [condition(interim), condition(type)],
    uncountedTerminatedPods: {},
  };
  const how = { subresource: "status" };
  await cluster.client.patch(Job, keyOf(job), { merge: { status: ended } as never }, how);
  await cluster.settled();
}

async function events(): Promise<string[]> {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items.map(
    ({ type, reason, message = "" }) => `${type} ${reason} ${message.replace(/c-\d{8}/, "c-x")}`,
  );
}

test("each minute a job is created, with the name of the minute", async () => {
  const cronJob = await create();
  await cluster.advance("49s");
  expect(await jobs()).toEqual([]);
  await cluster.advance("2s");
  const [job] = await jobs();
  const time = Math.floor(cluster.clock.now() / 60_000) * 60_000;
  expect(job?.metadata).toMatchObject({
    name: `c-${time / 60_000}`,
    labels: { app: "c" },
    annotations: { a: "b" },
    ownerReferences: [
      { kind: "CronJob", uid: cronJob.metadata.uid, controller: true, blockOwnerDeletion: true },
    ],
  });
  const stamp = "batch.kubernetes.io/cronjob-scheduled-timestamp";
  const local = job?.metadata.annotations?.[stamp] ?? "";
  expect(local).toMatch(/\+0[12]:00$/);
  expect(Date.parse(local)).toBe(time);
  const { namespace, name, uid, resourceVersion } = job?.metadata ?? {};
  expect(await status()).toEqual({
    active: [{ apiVersion: "batch/v1", kind: "Job", namespace, name, uid, resourceVersion }],
    lastScheduleTime: new Date(time).toISOString().replace(".000Z", "Z"),
  });
  await cluster.advance("2m");
  expect(await jobs()).toHaveLength(3);
  expect(await events()).toEqual(
    Array.from({ length: 3 }, () => "Normal SuccessfulCreate Created job c-x"),
  );
});

test("a job that ends leaves the list, and the history is bounded", async () => {
  await create({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
  await cluster.advance("50100ms");
  await end((await jobs())[0], "Complete");
  const ended = await status();
  expect(ended.active).toBeUndefined();
  expect(ended.lastSuccessfulTime).toBeDefined();
  expect(await jobs()).toHaveLength(1);
  await cluster.advance("1m");
  await end((await jobs())[1], "Failed");
  expect(await jobs()).toHaveLength(1);
  await cluster.advance("1m");
  await end((await jobs())[1], "Complete");
  const left = await jobs();
  expect(left).toHaveLength(1);
  expect((await status()).lastScheduleTime).toBe(
    new Date(Number(left[0]?.metadata.name?.slice(2)) * 60_000).toISOString().replace(".000Z", "Z"),
  );
  expect(await events()).toEqual(
    expect.arrayContaining([
      "Normal SawCompletedJob Saw completed job: c-x, condition: Complete",
      "Normal SuccessfulDelete Deleted job c-x",
    ]),
  );
});

test("a policy forbids a second job, or replaces the first", async () => {
  await create({ concurrencyPolicy: "Forbid" });
  await cluster.advance("2m");
  const [first, ...others] = await jobs();
  expect(others).toEqual([]);
  expect(await events()).toContain(
    "Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid",
  );
  await cluster.client.patch(
    CronJob,
    { name: "c" },
    { merge: { spec: { concurrencyPolicy: "Replace" } } },
  );
  await cluster.advance("1m");
  const [second] = await jobs();
  expect(second?.metadata.name).not.toBe(first?.metadata.name);
  expect((await status()).active).toHaveLength(1);
});

test("a suspended cron job starts nothing, and catches up once it is resumed", async () => {
  await create({ suspend: true });
  await cluster.advance("5m");
  expect(await jobs()).toEqual([]);
  await cluster.client.patch(CronJob, { name: "c" }, { merge: { spec: { suspend: false } } });
  await cluster.settled();
  expect(await jobs()).toHaveLength(1);
});

test("a new schedule starts nothing at once", async () => {
  await create({ schedule: "0 0 1 1 *" });
  await cluster.advance("10m");
  await cluster.client.patch(
    CronJob,
    { name: "c" },
    { merge: { spec: { schedule: "* * * * *" } } },
  );
  await cluster.advance("45s");
  expect(await jobs()).toEqual([]);
  await cluster.advance("10s");
  expect(await jobs()).toHaveLength(1);
});

test.each([
  [15, 0],
  [30, 1],
])(
  "with a deadline of %i s, a job that is 20 s late is started or not: %i",
  async (seconds, count) => {
    await create({ suspend: true, startingDeadlineSeconds: seconds, schedule: "0 * * * *" });
    await cluster.advance("1h");
    await cluster.advance("10s");
    await cluster.client.patch(CronJob, { name: "c" }, { merge: { spec: { suspend: false } } });
    await cluster.settled();
    expect(await jobs()).toHaveLength(count);
  },
);

test("a job that is gone leaves the list, and a job of nobody is named", async () => {
  await create();
  await cluster.advance("50100ms");
  const [job] = await jobs();
  if (!job) throw new Error("there is no job");
  await cluster.client.delete(Job, keyOf(job), { propagationPolicy: "Background" });
  await cluster.settled();
  expect((await status()).active).toBeUndefined();
  const { ownerReferences } = job.metadata;
  await cluster.client.create(Job, {
    metadata: { name: "mine", ownerReferences },
    spec: { template: { spec: { restartPolicy: "Never", containers } } } as never,
  });
  expect(await events()).toEqual(
    expect.arrayContaining([
      "Normal MissingJob Active job went missing: c-x",
      "Warning UnexpectedJob Saw a job that the controller did not create or forgot: mine",
    ]),
  );
});
