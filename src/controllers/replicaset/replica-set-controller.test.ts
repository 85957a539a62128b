import { afterEach, beforeEach, expect, test } from "vitest";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { replicaSetModule } from "./replica-set-module.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(...partsOf(replicaSetModule));
});
afterEach(() => cluster.end());

const labels = { app: "web" };
const replicaSet = (replicas: number, minReadySeconds = 0) => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    minReadySeconds,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
});

async function pods(): Promise<readonly Pod[]> {
  return (await cluster.client.list(Pod, { namespace: "default" })).items;
}

async function status(): Promise<ReplicaSet["status"]> {
  await cluster.settled();
  return (await cluster.client.get(ReplicaSet, { name: "web" })).status;
}

async function makeReady(): Promise<void> {
  const time = new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z/, "Z");
  const ready = { type: "Ready", status: "True", lastTransitionTime: time } as const;
  for (const { metadata } of await pods())
    await cluster.client.patch(
      Pod,
      { name: metadata.name ?? "" },
      { strategic: { status: { phase: "Running", conditions: [ready] } } },
      { subresource: "status" },
    );
}

async function events(): Promise<string[]> {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items.map(({ type, reason, message }) => `${type} ${reason} ${message}`).sort();
}

const scale = (replicas: number) =>
  cluster.client.patch(ReplicaSet, { name: "web" }, { merge: { spec: { replicas } } });

test("the desired pods are created, with events", async () => {
  const created = await cluster.client.create(ReplicaSet, replicaSet(3));
  expect(await status()).toMatchObject({
    replicas: 3,
    fullyLabeledReplicas: 3,
    observedGeneration: 1,
  });
  for (const { metadata } of await pods()) {
    expect(metadata).toMatchObject({ generateName: "web-", labels });
    expect(metadata.ownerReferences).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web",
        uid: created.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  }
  const names = (await pods()).map(({ metadata }) => metadata.name);
  expect(await events()).toEqual(
    names.map((name) => `Normal SuccessfulCreate Created pod: ${name}`).sort(),
  );
});

test("excess pods are deleted, and terminated ones are replaced", async () => {
  await cluster.client.create(ReplicaSet, replicaSet(600));
  expect(await status()).toMatchObject({ replicas: 600 });
  await scale(2);
  expect(await status()).toMatchObject({ replicas: 2, observedGeneration: 2 });
  const [one] = await pods();
  await cluster.client.delete(Pod, { name: one?.metadata.name ?? "" });
  expect(await status()).toMatchObject({ replicas: 2 });
  expect(await pods()).toHaveLength(2);
  await scale(0);
  expect(await status()).toMatchObject({ replicas: 0 });
});

test("a pod is available once it has been ready for long enough", async () => {
  await cluster.client.create(ReplicaSet, replicaSet(2, 30));
  await cluster.settled();
  await makeReady();
  const ready = await status();
  expect(ready).toMatchObject({ readyReplicas: 2 });
  expect(ready.availableReplicas).toBeUndefined();
  await cluster.advance("29s");
  expect((await status()).availableReplicas).toBeUndefined();
  await cluster.advance("1s");
  expect(await status()).toMatchObject({ availableReplicas: 2 });
});

test("a matching orphan is adopted, and a pod that no longer matches is released", async () => {
  const { spec } = replicaSet(1).spec.template;
  await cluster.client.create(Pod, { metadata: { name: "orphan", labels }, spec });
  await cluster.client.create(ReplicaSet, replicaSet(1));
  expect(await status()).toMatchObject({ replicas: 1 });
  const [orphan] = await pods();
  expect(orphan?.metadata.ownerReferences).toMatchObject([
    { kind: "ReplicaSet", controller: true },
  ]);

  const change = { metadata: { labels: { app: "other" } } };
  await cluster.client.patch(Pod, { name: "orphan" }, { merge: change });
  await cluster.settled();
  const all = await pods();
  expect(all).toHaveLength(2);
  const released = all.find(({ metadata }) => metadata.name === "orphan");
  expect(released?.metadata.ownerReferences ?? []).toEqual([]);
});

test("failed creations of pods set a condition and record an event", async () => {
  await cluster.client.delete(ServiceAccount, { name: "default" });
  await cluster.client.create(ReplicaSet, replicaSet(4));
  const failed = await status();
  const why =
    'pods "web-" is forbidden: error looking up service account default/default: serviceaccount "default" not found';
  expect(failed).toMatchObject({ replicas: 0, observedGeneration: 1 });
  expect(failed.conditions).toMatchObject([
    { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: why },
  ]);
  expect(await events()).toEqual([`Warning FailedCreate Error creating: ${why}`]);
  await cluster.client.create(ServiceAccount, { metadata: { name: "default" } });
  await cluster.advance("20m");
  const healed = await status();
  expect(healed).toMatchObject({ replicas: 4 });
  expect(healed.conditions).toBeUndefined();
});

test("no pods are created for a replica set or in a namespace that is being deleted", async () => {
  const going = { ...replicaSet(2), metadata: { name: "web", finalizers: ["example.com/wait"] } };
  await cluster.client.create(ReplicaSet, going);
  await cluster.settled();
  await cluster.client.delete(ReplicaSet, { name: "web" });
  for (const { metadata } of await pods())
    await cluster.client.delete(Pod, { name: metadata.name ?? "" });
  expect(await status()).toMatchObject({ replicas: 0 });
  expect(await pods()).toHaveLength(0);

  await cluster.client.create(Namespace, { metadata: { name: "gone" } });
  await cluster.client.create(ServiceAccount, { metadata: { name: "default", namespace: "gone" } });
  await cluster.client.create(ReplicaSet, {
    ...replicaSet(0),
    metadata: { name: "web", namespace: "gone" },
  });
  await cluster.settled();
  await cluster.client.delete(Namespace, { name: "gone" });
  const key = { namespace: "gone", name: "web" };
  await cluster.client.patch(ReplicaSet, key, { merge: { spec: { replicas: 2 } } });
  await cluster.settled();
  const { status: told } = await cluster.client.get(ReplicaSet, key);
  expect(told).toMatchObject({ replicas: 0, observedGeneration: 2 });
  expect(told.conditions).toBeUndefined();
});
