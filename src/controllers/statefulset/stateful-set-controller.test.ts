import { afterEach, beforeEach, expect, test } from "vitest";
import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { statefulSetModule } from "./stateful-set-module.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(...partsOf(statefulSetModule));
});
afterEach(() => cluster.end());

const labels = { app: "web" };
const containers = (image: string) => [{ name: "web", image }];
const create = (parts: object = {}) =>
  cluster.client.create(StatefulSet, {
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      serviceName: "web",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: containers("v1") } },
      ...parts,
    },
  });
const change = (spec: object) =>
  cluster.client.patch(StatefulSet, { name: "web" }, { merge: { spec: spec as never } });
const setImage = (image: string) =>
  change({ template: { spec: { containers: containers(image) } } });

async function status(): Promise<StatefulSet["status"]> {
  await cluster.settled();
  return (await cluster.client.get(StatefulSet, { name: "web" })).status;
}

async function pods(): Promise<readonly Pod[]> {
  await cluster.settled();
  return (await cluster.client.list(Pod, { namespace: "default" })).items;
}

/** `web-0 v1` where it is ready, `web-0 v1?` where it is not. */
async function states(): Promise<string[]> {
  return (await pods())
    .map(({ metadata, spec, status: { conditions = [] } }) => {
      const isReady = conditions.some(({ type }) => type === "Ready");
      return `${metadata.name} ${spec.containers[0]?.image}${isReady ? "" : "?"}`;
    })
    .sort();
}

async function makeReady(): Promise<void> {
  const lastTransitionTime = formatTime(timeFromMillis(cluster.clock.now()));
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
  for (const { metadata } of await pods())
    await cluster.client.patch(
      Pod,
      { name: metadata.name ?? "" },
      { merge: { status: { phase: "Running", conditions } } as never },
      { subresource: "status" },
    );
  await cluster.settled();
}

/** Has pods become ready until nothing changes any more. */
async function ready(): Promise<void> {
  for (let before = ""; ; ) {
    await makeReady();
    const now = (await states()).join();
    if (now === before) return;
    before = now;
  }
}

async function events(): Promise<string[]> {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items.map(({ type, reason, message }) => `${type} ${reason} ${message}`).sort();
}

const claims = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

async function claimNames(): Promise<(string | undefined)[]> {
  await cluster.settled();
  const { items } = await cluster.client.list(PersistentVolumeClaim, { namespace: "default" });
  return items.map(({ metadata }) => metadata.name).sort();
}

test("replicas are created one after another, under their names", async () => {
  const { metadata } = await create();
  expect(await states()).toEqual(["web-0 v1?"]);
  await makeReady();
  expect(await states()).toEqual(["web-0 v1", "web-1 v1?"]);
  await ready();
  expect(await states()).toEqual(["web-0 v1", "web-1 v1", "web-2 v1"]);
  const { updateRevision = "", ...rest } = await status();
  expect(rest).toEqual({
    observedGeneration: 1,
    replicas: 3,
    readyReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    currentRevision: updateRevision,
    collisionCount: 0,
    availableReplicas: 3,
  });
  const second = await cluster.client.get(Pod, { name: "web-1" });
  expect(second).toMatchObject({
    metadata: {
      generateName: "web-",
      labels: {
        app: "web",
        "apps.kubernetes.io/pod-index": "1",
        "controller-revision-hash": updateRevision,
        "statefulset.kubernetes.io/pod-name": "web-1",
      },
      ownerReferences: [{ kind: "StatefulSet", uid: metadata.uid, controller: true }],
    },
    spec: { hostname: "web-1", subdomain: "web" },
  });
  expect(await events()).toEqual(
    [0, 1, 2].map(
      (i) => `Normal SuccessfulCreate Create Pod web-${i} in StatefulSet web successful`,
    ),
  );
});

test("with Parallel, all replicas are created and deleted at once, from the start ordinal", async () => {
  await create({ podManagementPolicy: "Parallel", ordinals: { start: 5 } });
  expect(await states()).toEqual(["web-5 v1?", "web-6 v1?", "web-7 v1?"]);
  await change({ replicas: 1 });
  expect(await states()).toEqual(["web-5 v1?"]);
});

test("the replica of the highest ordinal is deleted first, once the others are available", async () => {
  await create();
  await ready();
  await change({ replicas: 0 });
  expect(await states()).toEqual([]);
  expect(await status()).toMatchObject({ replicas: 0, observedGeneration: 2 });
  const deleted = (await events()).filter((text) => text.includes("SuccessfulDelete"));
  expect(deleted).toEqual(
    [0, 1, 2].map(
      (i) => `Normal SuccessfulDelete Delete Pod web-${i} in StatefulSet web successful`,
    ),
  );
});

test("a pod that is deleted or fails comes back under its name", async () => {
  await create();
  await ready();
  const uidOf = async () => (await cluster.client.get(Pod, { name: "web-1" })).metadata.uid;
  const first = await uidOf();
  await cluster.client.delete(Pod, { name: "web-1" });
  expect(await states()).toEqual(["web-0 v1", "web-1 v1?", "web-2 v1"]);
  const second = await uidOf();
  expect(second).not.toBe(first);
  await cluster.client.patch(
    Pod,
    { name: "web-1" },
    { merge: { status: { phase: "Failed" } } },
    { subresource: "status" },
  );
  await cluster.settled();
  expect(await uidOf()).not.toBe(second);
});

test("a rolling update goes down to the partition, and back", async () => {
  await create({ updateStrategy: { rollingUpdate: { partition: 1 } } });
  await ready();
  const { currentRevision } = await status();
  await setImage("v2");
  expect(await states()).toEqual(["web-0 v1", "web-1 v1", "web-2 v2?"]);
  await ready();
  expect(await states()).toEqual(["web-0 v1", "web-1 v2", "web-2 v2"]);
  const mid = await status();
  expect(mid).toMatchObject({ currentReplicas: 1, updatedReplicas: 2, currentRevision });
  await cluster.client.delete(Pod, { name: "web-0" });
  expect(await states()).toEqual(["web-0 v1?", "web-1 v2", "web-2 v2"]);
  await change({ updateStrategy: { rollingUpdate: { partition: 0 } } });
  await ready();
  expect(await states()).toEqual(["web-0 v2", "web-1 v2", "web-2 v2"]);
  expect((await status()).currentRevision).toBe(mid.updateRevision);
  await setImage("v1");
  await ready();
  expect(await status()).toMatchObject({ currentReplicas: 3, currentRevision });
  const { items } = await cluster.client.list(ControllerRevision, { namespace: "default" });
  expect(items.map(({ revision }) => revision).sort()).toEqual([2, 3]);
});

test("with OnDelete, pods change when somebody deletes them", async () => {
  await create({ updateStrategy: { type: "OnDelete" } });
  await ready();
  await setImage("v2");
  expect(await states()).toEqual(["web-0 v1", "web-1 v1", "web-2 v1"]);
  await cluster.client.delete(Pod, { name: "web-1" });
  expect(await states()).toEqual(["web-0 v1", "web-1 v2?", "web-2 v1"]);
});

test("the next replica waits until a ready one is available", async () => {
  await create({ minReadySeconds: 10 });
  await makeReady();
  await cluster.advance("9s");
  expect(await states()).toEqual(["web-0 v1"]);
  expect(await status()).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
  await cluster.advance("1s");
  expect(await states()).toEqual(["web-0 v1", "web-1 v1?"]);
});

test("each replica has claims, which stay", async () => {
  await create(claims);
  await ready();
  expect(await claimNames()).toEqual(["data-web-0", "data-web-1", "data-web-2"]);
  expect((await cluster.client.get(Pod, { name: "web-1" })).spec.volumes?.[0]).toMatchObject({
    name: "data",
    persistentVolumeClaim: { claimName: "data-web-1" },
  });
  expect(await events()).toContain(
    "Normal SuccessfulCreate Create Claim data-web-1 Pod web-1 in StatefulSet web success",
  );
  await change({ replicas: 1 });
  expect(await claimNames()).toEqual(["data-web-0", "data-web-1", "data-web-2"]);
});

test("claims are owned by the set, and by pods that are not wanted any more", async () => {
  const policy = { whenDeleted: "Delete", whenScaled: "Delete" };
  await create({ ...claims, replicas: 2, persistentVolumeClaimRetentionPolicy: policy });
  await ready();
  const ownerOf = async (name: string) =>
    (await cluster.client.get(PersistentVolumeClaim, { name })).metadata.ownerReferences?.map(
      ({ kind, name: owner }) => `${kind} ${owner}`,
    );
  expect(await ownerOf("data-web-1")).toEqual(["StatefulSet web"]);
  await cluster.client.patch(
    Pod,
    { name: "web-1" },
    { merge: { metadata: { finalizers: ["example.com/wait"] } } },
  );
  await change({ replicas: 1 });
  await cluster.settled();
  expect(await ownerOf("data-web-1")).toEqual(["Pod web-1"]);
  expect(await ownerOf("data-web-0")).toEqual(["StatefulSet web"]);
  // The garbage collector would delete the claim with the pod: the new pod waits for that.
  await cluster.client.patch(Pod, { name: "web-1" }, { merge: { metadata: { finalizers: null } } });
  await change({ replicas: 2 });
  expect(await states()).toEqual(["web-0 v1"]);
  await cluster.client.patch(
    PersistentVolumeClaim,
    { name: "data-web-1" },
    { merge: { metadata: { finalizers: null } } },
  );
  await cluster.client.delete(PersistentVolumeClaim, { name: "data-web-1" });
  expect(await states()).toEqual(["web-0 v1", "web-1 v1?"]);
});

test("an orphan of the right name is adopted, others are left alone", async () => {
  const spec = { containers: containers("v1") };
  for (const name of ["web-0", "stray"])
    await cluster.client.create(Pod, { metadata: { name, labels }, spec });
  const { metadata } = await create({ replicas: 1 });
  const owners = (await pods()).map((pod) => [
    pod.metadata.name,
    pod.metadata.ownerReferences?.[0]?.uid,
  ]);
  expect(Object.fromEntries(owners)).toEqual({ "web-0": metadata.uid, stray: undefined });
});
