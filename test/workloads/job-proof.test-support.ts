import { expect } from "vitest";
import { Job } from "../../src/api/batch/v1/job.ts";
import { eventually } from "../eventually.ts";
import { container, type WorkloadsRoom } from "./workloads-cluster.test-support.ts";

/** Of a job, those indexes fail whose containers do, each as often as it may. */
export async function jobProof({ client, logs, pods }: WorkloadsRoom): Promise<void> {
  await client.create(Job, {
    metadata: { name: "parts" },
    spec: {
      ...{ completions: 4, parallelism: 4, completionMode: "Indexed", backoffLimitPerIndex: 1 },
      template: {
        spec: {
          ...{ restartPolicy: "Never", terminationGracePeriodSeconds: 1 },
          containers: [
            container('echo "part $JOB_COMPLETION_INDEX"; exit $((JOB_COMPLETION_INDEX % 2))'),
          ],
        },
      },
    },
  } as never);
  const status = await eventually(async () => {
    const found = (await client.get(Job, { name: "parts" })).status;
    expect(found.conditions?.map(({ type }) => type)).toContain("Failed");
    return found;
  });
  expect(status).toMatchObject({
    ...{ succeeded: 2, failed: 4, completedIndexes: "0,2", failedIndexes: "1,3" },
    conditions: expect.arrayContaining([
      expect.objectContaining({
        ...{ type: "Failed", status: "True", reason: "FailedIndexes" },
        message: "Job has failed indexes",
      }),
    ]),
  });
  const said = await Promise.all((await pods()).map(({ metadata }) => logs(metadata.name ?? "")));
  expect(said.sort()).toEqual(
    ["part 0", "part 1", "part 1", "part 2", "part 3", "part 3"].map((line) => `${line}\n`),
  );
}
