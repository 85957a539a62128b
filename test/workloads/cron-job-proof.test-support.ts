import { expect, vi } from "vitest";
import { CronJob } from "../../src/api/batch/v1/cron-job.ts";
import { Job } from "../../src/api/batch/v1/job.ts";
import { longEnoughMs } from "../long-enough.ts";
import { container, type WorkloadsRoom } from "./workloads-cluster.test-support.ts";

/** A cron job runs a job at the next full minute, once. */
export async function cronJobProof({ client, logs, pods }: WorkloadsRoom): Promise<void> {
  await client.create(CronJob, {
    metadata: { name: "tick" },
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        spec: {
          template: {
            spec: { restartPolicy: "Never", containers: [container("echo tick")] },
          },
        },
      },
    },
  } as never);
  const last = async () => (await client.get(CronJob, { name: "tick" })).status;
  await vi.waitFor(async () => expect((await last()).lastSuccessfulTime).toBeTruthy(), {
    ...{ timeout: 60_000 + longEnoughMs, interval: 100 },
  });
  await client.patch(CronJob, { name: "tick" }, { merge: { spec: { suspend: true } } });
  const { lastScheduleTime = "" } = await last();
  expect(lastScheduleTime).toMatch(/:00Z$/);
  const [job] = (await client.list(Job)).items;
  const minute = Date.parse(lastScheduleTime) / 60_000;
  expect(job?.metadata.name).toMatch(new RegExp(`^tick-(${minute}|${minute - 1})$`));
  const [pod] = await pods();
  expect(await logs(pod?.metadata.name ?? "")).toBe("tick\n");
}
