import { expect, onTestFinished, test } from "vitest";
import { Job } from "../../../api/batch/v1/job.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { PodGroup } from "../../../api/scheduling/v1alpha2/pod-group.ts";
import { Workload } from "../../../api/scheduling/v1alpha2/workload.ts";
import { startCluster } from "../../../testing/start-cluster.ts";

const features = ["GenericWorkload", "GangScheduling", "WorkloadWithJob"];
const runtimeConfig = { "scheduling.k8s.io/v1alpha2": true };
const namespace = "default";

/** A cluster of two nodes with controllers and a scheduler. */
async function gangCluster() {
  const cluster = await startCluster({
    ...{ clock: "virtual", nodes: 2, namespace, features, runtimeConfig },
  });
  onTestFinished(cluster.close);
  const { client, advance } = cluster;
  return {
    ...cluster,
    async job(name: string, cpu: string, spec: Partial<Job["spec"]> = {}) {
      const resources = { requests: { cpu } };
      await client.create(Job, {
        metadata: { name },
        spec: {
          ...{ parallelism: 3, completions: 3, completionMode: "Indexed", ...spec },
          template: {
            spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i", resources }] },
          },
        },
      } as never);
      await advance("5s");
    },
    async pods() {
      const { items } = await client.list(Pod, { namespace });
      return items.map(({ spec }) => [spec.schedulingGroup?.podGroupName, spec.nodeName]);
    },
  };
}

test("an indexed job whose pods all run at the same time gets a workload and a group", async () => {
  const { client, job, pods } = await gangCluster();
  await job("train", "1");
  const [workload] = (await client.list(Workload, { namespace })).items;
  const [group] = (await client.list(PodGroup, { namespace })).items;
  expect(workload?.metadata.ownerReferences?.map(({ kind, name }) => [kind, name])).toEqual([
    ["Job", "train"],
  ]);
  expect(workload?.spec).toMatchObject({
    controllerRef: { apiGroup: "batch", kind: "Job", name: "train" },
    podGroupTemplates: [{ name: "train-pgt-0", schedulingPolicy: { gang: { minCount: 3 } } }],
  });
  expect(group?.spec).toMatchObject({
    podGroupTemplateRef: {
      workload: { workloadName: workload?.metadata.name, podGroupTemplateName: "train-pgt-0" },
    },
    schedulingPolicy: { gang: { minCount: 3 } },
  });
  expect(
    group?.metadata.ownerReferences?.map(({ kind, controller }) => [kind, controller]),
  ).toEqual([
    ["Job", true],
    ["Workload", undefined],
  ]);
  expect((await pods()).map(([name]) => name)).toEqual(Array(3).fill(group?.metadata.name));
  expect((await pods()).every(([, node]) => node !== undefined)).toBe(true);
});

test("pods of a job that do not all fit are not bound, and go with the job", async () => {
  const { client, job, pods, advance } = await gangCluster();
  await job("large", "3");
  expect((await pods()).map(([, node]) => node)).toEqual([undefined, undefined, undefined]);
  await client.delete(Job, { namespace, name: "large" }, { propagationPolicy: "Background" });
  await advance("1m");
  expect(await pods()).toEqual([]);
  expect((await client.list(PodGroup, { namespace })).items).toEqual([]);
  expect((await client.list(Workload, { namespace })).items).toEqual([]);
});

test("other jobs get none", async () => {
  const { client, job, pods } = await gangCluster();
  await job("one-by-one", "1", { parallelism: 1 });
  expect(await pods()).toEqual([[undefined, expect.anything()]]);
  expect((await client.list(Workload, { namespace })).items).toEqual([]);
});
