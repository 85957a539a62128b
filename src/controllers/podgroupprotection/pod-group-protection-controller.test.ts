import { expect, onTestFinished, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { podGroupProtectionModule } from "./pod-group-protection-module.ts";

test("a group that is deleted stays until its pods have ended or are gone", async () => {
  const runtimeConfig = { "scheduling.k8s.io/v1alpha2": true };
  const cluster = await startCluster({
    ...{ clock: "virtual", namespace: "default", runtimeConfig },
    features: ["GenericWorkload"],
  });
  const runnables = partsOf(podGroupProtectionModule);
  const { client, settled, writes, end } = await accountedCluster({ runnables }, cluster);
  onTestFinished(end);
  const addGroup = (name: string) =>
    client.create(PodGroup, { metadata: { name }, spec: { schedulingPolicy: { basic: {} } } });
  const addPod = (name: string, podGroupName: string) =>
    client.create(Pod, {
      metadata: { name },
      spec: { schedulingGroup: { podGroupName }, containers: [{ name: "c", image: "i" }] },
    });
  const groups = async () => {
    await settled();
    return (await client.list(PodGroup)).items.map(({ metadata }) => metadata.name);
  };
  for (const name of ["empty", "kept", "used"]) await addGroup(name);
  await addPod("ends", "used");
  await addPod("goes", "used");
  await addPod("of-another", "kept");
  for (const name of ["empty", "used"]) await client.delete(PodGroup, { name });
  expect(await groups()).toEqual(["kept", "used"]);
  await client.patch(
    Pod,
    { name: "ends" },
    { merge: { status: { phase: "Succeeded" } } },
    { subresource: "status" },
  );
  expect(await groups()).toEqual(["kept", "used"]);
  await client.delete(Pod, { name: "goes" });
  expect(await groups()).toEqual(["kept"]);
  expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "PUT /apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups/empty",
    "PUT /apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups/used",
  ]);
});
