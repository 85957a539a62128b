import { afterEach, beforeEach, expect, test } from "vitest";
import { Job } from "../../api/batch/v1/job.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { ttlAfterFinishedModule } from "./ttl-after-finished-module.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(...partsOf(ttlAfterFinishedModule));
});
afterEach(() => cluster.end());

const create = (ttlSecondsAfterFinished?: number): Promise<Job> =>
  cluster.client.create(Job, {
    metadata: { name: "j" },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "a" }] } },
      ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
    } as never,
  });

async function fail(): Promise<void> {
  const time = new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z/, "Z");
  const conditions = ["FailureTarget", "Failed"].map((type) => ({
    ...{ type, status: "True", reason: "R", message: "m" },
    ...{ lastProbeTime: time, lastTransitionTime: time },
  }));
  const change = { merge: { status: { startTime: time, conditions } } as never };
  await cluster.client.patch(Job, { name: "j" }, change, { subresource: "status" });
  await cluster.settled();
}

/** The deletion waits for dependents: nobody collects garbage here. */
async function isDeleted(): Promise<boolean> {
  const { items } = await cluster.client.list(Job, { namespace: "default" });
  const [job] = items;
  if (job?.metadata.deletionTimestamp)
    expect(job.metadata.finalizers).toEqual(["foregroundDeletion"]);
  return job?.metadata.deletionTimestamp !== undefined;
}

test("a job is deleted so long after its end, and not before", async () => {
  await create(60);
  await cluster.advance("2m");
  expect(await isDeleted()).toBe(false);
  await fail();
  await cluster.advance("58s");
  expect(await isDeleted()).toBe(false);
  await cluster.advance("2s");
  expect(await isDeleted()).toBe(true);
});

test("a job without that stays, and one that gets it later goes", async () => {
  await create();
  await fail();
  await cluster.advance("720h");
  expect(await isDeleted()).toBe(false);
  const change = { merge: { spec: { ttlSecondsAfterFinished: 0 } } };
  await cluster.client.patch(Job, { name: "j" }, change);
  await cluster.settled();
  expect(await isDeleted()).toBe(true);
});

test("a longer time that comes before the end of the first one is kept to", async () => {
  await create(60);
  await fail();
  const change = { merge: { spec: { ttlSecondsAfterFinished: 600 } } };
  await cluster.client.patch(Job, { name: "j" }, change);
  await cluster.advance("500s");
  expect(await isDeleted()).toBe(false);
  await cluster.advance("101s");
  expect(await isDeleted()).toBe(true);
});
