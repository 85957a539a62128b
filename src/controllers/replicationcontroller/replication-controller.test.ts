import { afterEach, beforeEach, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { Scale } from "../../client/subresource-kinds.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { replicationControllerModule } from "./replication-controller-module.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(...partsOf(replicationControllerModule));
});
afterEach(() => cluster.end());

const labels = { app: "web", tier: "front" };
const spec = { containers: [{ name: "web", image: "nginx" }] };
const create = (replicas: number) =>
  cluster.client.create(ReplicationController, {
    metadata: { name: "web" },
    spec: { replicas, selector: { app: "web" }, template: { metadata: { labels }, spec } },
  });

async function status(): Promise<ReplicationController["status"]> {
  await cluster.settled();
  return (await cluster.client.get(ReplicationController, { name: "web" })).status;
}

async function pods(): Promise<readonly Pod[]> {
  await cluster.settled();
  return (await cluster.client.list(Pod, { namespace: "default" })).items;
}

async function events(): Promise<readonly Event[]> {
  await cluster.advance("1s");
  return (await cluster.client.list(Event, { namespace: "default" })).items;
}

test("the desired pods are created in the name of the replication controller", async () => {
  const { metadata } = await create(3);
  expect(await status()).toEqual({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1 });
  const owner = { apiVersion: "v1", kind: "ReplicationController", name: "web" };
  const more = { uid: metadata.uid, controller: true, blockOwnerDeletion: true };
  for (const pod of await pods())
    expect(pod.metadata).toMatchObject({
      generateName: "web-",
      labels,
      ownerReferences: [{ ...owner, ...more }],
    });
  expect(await events()).toHaveLength(3);
  for (const event of await events())
    expect(event).toMatchObject({
      type: "Normal",
      reason: "SuccessfulCreate",
      message: expect.stringMatching(/^Created pod: web-/),
      reportingComponent: "replication-controller",
    });
});

test("it follows its scale subresource", async () => {
  await create(1);
  const { client } = cluster;
  const scale = client.subresource(ReplicationController, { name: "web" }, "scale");
  const patch = { merge: { spec: { replicas: 4 } } };
  await scale.patch(Scale, patch);
  expect(await status()).toMatchObject({ replicas: 4, observedGeneration: 2 });
  expect(await pods()).toHaveLength(4);
  await scale.patch(Scale, { merge: { spec: { replicas: 0 } } });
  expect(await status()).toEqual({ replicas: 0, observedGeneration: 3 });
});

test("a matching orphan is adopted, and a pod that no longer matches is released", async () => {
  await cluster.client.create(Pod, { metadata: { name: "stray", labels: { app: "web" } }, spec });
  const { metadata } = await create(1);
  expect(await status()).toEqual({ replicas: 1, observedGeneration: 1 });
  expect((await pods())[0]?.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
  const patch = { merge: { metadata: { labels: { app: "other" } } } };
  await cluster.client.patch(Pod, { name: "stray" }, patch);
  expect(await pods()).toHaveLength(2);
  const stray = await cluster.client.get(Pod, { name: "stray" });
  expect(stray.metadata.ownerReferences).toBeUndefined();
});

test("failed creations set the condition ReplicaFailure", async () => {
  const error = new StatusError("Forbidden", "not now");
  cluster.faults.add({
    calls: { verb: "create", resource: "pods" },
    fault: { type: "fail", error },
  });
  await create(2);
  expect((await status()).conditions).toMatchObject([
    { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "not now" },
  ]);
  cluster.faults.clear();
  await cluster.advance("1m");
  expect(await status()).toEqual({ replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 });
});
