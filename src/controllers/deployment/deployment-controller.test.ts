import { afterEach, beforeEach, expect, test } from "vitest";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { desiredReplicasAnnotation } from "./deployment-annotations.ts";
import { type DeploymentWorld, deploymentWorld, labels } from "./deployment-world.test-support.ts";

let world: DeploymentWorld;
beforeEach(async () => {
  world = await deploymentWorld();
});
afterEach(() => world.end());

test("a deployment creates a replica set, and its status follows until all pods are available", async () => {
  const begun = await world.create();
  expect(begun.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
  expect(begun.status).toMatchObject({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    unavailableReplicas: 3,
    terminatingReplicas: 0,
  });
  const { v1 } = await world.replicaSets();
  const hash = v1?.metadata.labels?.["pod-template-hash"];
  expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  expect(v1?.metadata).toMatchObject({
    name: `web-${hash}`,
    labels: { ...labels, "pod-template-hash": hash },
    annotations: {
      "deployment.kubernetes.io/revision": "1",
      "deployment.kubernetes.io/desired-replicas": "3",
      "deployment.kubernetes.io/max-replicas": "4",
    },
    ownerReferences: [
      { kind: "Deployment", name: "web", controller: true, blockOwnerDeletion: true },
    ],
  });
  expect(v1?.spec.selector).toEqual({ matchLabels: { ...labels, "pod-template-hash": hash } });
  expect(v1?.spec.template.metadata.labels).toEqual({ ...labels, "pod-template-hash": hash });
  const name = v1?.metadata.name;
  expect(await world.condition("Available")).toBe(
    "False MinimumReplicasUnavailable Deployment does not have minimum availability.",
  );
  expect(await world.condition("Progressing")).toBe(
    `True ReplicaSetUpdated ReplicaSet "${name}" is progressing.`,
  );
  await world.makeReady();
  expect((await world.get()).status).toMatchObject({
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  });
  expect((await world.get()).status.unavailableReplicas).toBeUndefined();
  expect(await world.condition("Available")).toBe(
    "True MinimumReplicasAvailable Deployment has minimum availability.",
  );
  expect(await world.condition("Progressing")).toBe(
    `True NewReplicaSetAvailable ReplicaSet "${name}" has successfully progressed.`,
  );
  expect(await world.events()).toEqual([
    "Normal ScalingReplicaSet Scaled up replica set v1 from 0 to 3",
  ]);
});

test("a rolling update surges by a percentage rounded up, and proceeds as new pods become available", async () => {
  await world.create({ replicas: 10 });
  await world.makeReady();
  await world.rollTo("v2");
  // Ten pods, 25 %: three more may come, two may be missing.
  expect(await world.sizes()).toEqual({ v1: 8, v2: 5 });
  expect(await world.condition("Available")).toMatch(/^True/);
  await world.makeReady("v2");
  expect(await world.sizes()).toEqual({ v1: 0, v2: 10 });
  expect((await world.get()).metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
  expect(await world.events()).toContain(
    "Normal ScalingReplicaSet Scaled down replica set v1 from 10 to 8",
  );
});

test("a stuck rollout is kept, and is reported once its deadline has passed", async () => {
  await world.create({ replicas: 4, progressDeadlineSeconds: 60 });
  await world.makeReady();
  await world.advance("1h");
  await world.rollTo("broken");
  const stuck = await world.sizes();
  expect(stuck).toEqual({ v1: 3, broken: 2 });
  const name = (await world.replicaSets()).broken?.metadata.name;
  await world.advance("60s");
  expect(await world.condition("Progressing")).toBe(
    `True ReplicaSetUpdated ReplicaSet "${name}" is progressing.`,
  );
  await world.advance("1s");
  expect(await world.condition("Progressing")).toBe(
    `False ProgressDeadlineExceeded ReplicaSet "${name}" has timed out progressing.`,
  );
  expect(await world.sizes()).toEqual(stuck);
  const { resourceVersion } = (await world.get()).metadata;
  await world.advance("1h");
  expect((await world.get()).metadata.resourceVersion).toBe(resourceVersion);
  await world.makeReady();
  expect(await world.condition("Progressing")).toBe(
    `True NewReplicaSetAvailable ReplicaSet "${name}" has successfully progressed.`,
  );
});

test("a pod must be ready for long enough before the next step", async () => {
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
  await world.create({
    replicas: 2,
    minReadySeconds: 30,
    strategy: { type: "RollingUpdate", rollingUpdate },
  });
  await world.makeReady();
  await world.advance("30s");
  await world.rollTo("v2");
  await world.makeReady();
  expect(await world.sizes()).toEqual({ v1: 2, v2: 1 });
  await world.advance("30s");
  expect(await world.sizes()).toEqual({ v1: 1, v2: 2 });
  await world.makeReady();
  await world.advance("30s");
  expect(await world.sizes()).toEqual({ v1: 0, v2: 2 });
});

test("a change of minReadySeconds is written to the replica set without a rollout", async () => {
  await world.create();
  await world.change({ minReadySeconds: 7 });
  const { v1, ...others } = await world.replicaSets();
  expect(v1?.spec.minReadySeconds).toBe(7);
  expect(others).toEqual({});
});

test("Recreate: new pods are created after the last old pod is gone", async () => {
  await world.create({ strategy: { type: "Recreate" } });
  await world.makeReady();
  // A pod of a node ends after a while.
  for (const { metadata } of await world.pods())
    await world.client.patch(
      Pod,
      { name: metadata.name ?? "" },
      {
        merge: { metadata: { finalizers: ["example.com/node"] } },
      },
    );
  await world.rollTo("v2");
  expect(await world.sizes()).toEqual({ v1: 0 });
  const [first, ...rest] = await world.pods();
  const release = (pod: Pod | undefined) =>
    world.client.patch(Pod, { name: pod?.metadata.name ?? "" }, {
      merge: { metadata: { finalizers: null } },
    } as never);
  await release(first);
  await world.endDeleted();
  expect((await world.pods()).length).toBe(2);
  expect(await world.sizes()).toEqual({ v1: 0 });
  for (const pod of rest) await release(pod);
  await world.endDeleted();
  expect(await world.sizes()).toEqual({ v1: 0, v2: 3 });
  await world.makeReady();
  expect(await world.condition("Progressing")).toMatch(/^True NewReplicaSetAvailable/);
});

test("Recreate: a failed pod does not block the rollout", async () => {
  await world.create({ replicas: 1, strategy: { type: "Recreate" } });
  const [pod] = await world.pods();
  await world.client.patch(
    Pod,
    { name: pod?.metadata.name ?? "" },
    { merge: { status: { phase: "Failed" } } },
    { subresource: "status" },
  );
  await world.makeReady();
  await world.rollTo("v2");
  await world.endDeleted();
  expect((await world.pods("v1")).map(({ status }) => status.phase)).toEqual(["Failed"]);
  expect(await world.sizes()).toEqual({ v1: 0, v2: 1 });
});

test("a deployment that is scaled during a rollout is scaled proportionally", async () => {
  await world.create({ replicas: 10 });
  await world.makeReady();
  await world.rollTo("broken");
  expect(await world.sizes()).toEqual({ v1: 8, broken: 5 });
  await world.change({ replicas: 20 });
  // 25 may be there now, where 13 were: 8 are 15.4 then, 5 are 9.6.
  expect(await world.sizes()).toEqual({ v1: 15, broken: 10 });
  const { v1, broken } = await world.replicaSets();
  for (const one of [v1, broken])
    expect(one?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/desired-replicas": "20",
      "deployment.kubernetes.io/max-replicas": "25",
    });
  await world.change({ replicas: 0 });
  expect(await world.sizes()).toEqual({ v1: 0, broken: 0 });
});

test("scaling a deployment keeps its revision, and records an event", async () => {
  await world.create({ replicas: 2 });
  await world.change({ replicas: 5 });
  await world.change({ replicas: 1 });
  expect(await world.sizes()).toEqual({ v1: 1 });
  expect((await world.get()).metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("1");
  expect(await world.events()).toEqual([
    "Normal ScalingReplicaSet Scaled down replica set v1 from 5 to 1",
    "Normal ScalingReplicaSet Scaled up replica set v1 from 0 to 2",
    "Normal ScalingReplicaSet Scaled up replica set v1 from 2 to 5",
  ]);
});

test("a replica set whose annotations have another size does not block a rollout", async () => {
  await world.create({ replicas: 2 });
  await world.makeReady();
  const { v1 } = await world.replicaSets();
  const annotations = { [desiredReplicasAnnotation]: "5" };
  await world.client.patch(ReplicaSet, keyOf(v1 as ReplicaSet), {
    merge: { metadata: { annotations } } as never,
  });
  const edited = (await world.replicaSets()).v1;
  expect(edited?.metadata.annotations).toMatchObject(annotations);
  expect(await world.sizes()).toEqual({ v1: 2 });
  await world.rollTo("v2");
  await world.makeReady();
  expect(await world.sizes()).toEqual({ v1: 0, v2: 2 });
});

test("a paused deployment is scaled but not rolled out; its deadline starts when it is resumed", async () => {
  await world.create({ progressDeadlineSeconds: 60 });
  await world.makeReady();
  await world.change({ paused: true });
  expect(await world.condition("Progressing")).toBe(
    "Unknown DeploymentPaused Deployment is paused",
  );
  await world.rollTo("v2");
  await world.change({ replicas: 5 });
  expect(await world.sizes()).toEqual({ v1: 5 });
  await world.advance("10m");
  expect(await world.condition("Progressing")).toMatch(/^Unknown DeploymentPaused/);
  await world.change({ paused: false });
  expect((await world.sizes()).v2).toBeGreaterThan(0);
  expect(await world.condition("Progressing")).toMatch(/^True ReplicaSetUpdated/);
});

test("a resumed deployment without a rollout has the reason DeploymentResumed", async () => {
  await world.create();
  await world.change({ paused: true });
  await world.change({ paused: false });
  expect(await world.condition("Progressing")).toBe(
    "Unknown DeploymentResumed Deployment is resumed",
  );
});

test("a pause does not hide that a rollout has failed", async () => {
  await world.create({ progressDeadlineSeconds: 60 });
  await world.advance("2m");
  expect(await world.condition("Progressing")).toMatch(/^False ProgressDeadlineExceeded/);
  await world.change({ paused: true });
  expect(await world.condition("Progressing")).toMatch(/^False ProgressDeadlineExceeded/);
});

test("a former template reuses its replica set, which gets a new revision", async () => {
  await world.create({}, { "example.com/cause": "first" });
  await world.makeReady();
  await world.annotate({ "example.com/cause": "second" });
  await world.rollTo("v2");
  await world.makeReady();
  const before = await world.replicaSets();
  await world.rollTo("v1");
  await world.makeReady();
  const { v1, v2 } = await world.replicaSets();
  expect(v1?.metadata.uid).toBe(before.v1?.metadata.uid);
  expect(v1?.metadata.annotations).toMatchObject({
    "deployment.kubernetes.io/revision": "3",
    "deployment.kubernetes.io/revision-history": "1",
    "example.com/cause": "second",
  });
  expect(v2?.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
  expect((await world.get()).metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("3");
});

test("the deprecated annotation rolls a deployment back, once", async () => {
  await world.create();
  await world.makeReady();
  await world.rollTo("v2");
  await world.makeReady();
  const back = await world.annotate({ "deprecated.deployment.rollback.to": "0" });
  expect(back.spec.template.spec.containers[0]?.image).toBe("v1");
  expect(back.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "3" });
  await world.annotate({ "deprecated.deployment.rollback.to": "9" });
  await world.annotate({ "deprecated.deployment.rollback.to": "3" });
  const events = await world.events();
  expect(events).toContain('Normal DeploymentRollback Rolled back deployment "web" to revision 1');
  expect(events).toContain(
    "Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to.",
  );
  expect(events).toContain(
    'Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as current deployment "web"',
  );
  expect((await world.get()).metadata.annotations).toEqual({
    "deployment.kubernetes.io/revision": "3",
  });
});

test("old replica sets are kept up to the revision history limit", async () => {
  await world.create({ revisionHistoryLimit: 1 });
  await world.makeReady();
  for (const image of ["v2", "v3"]) {
    await world.rollTo(image);
    await world.makeReady();
  }
  expect(await world.sizes()).toEqual({ v2: 0, v3: 3 });
  await world.change({ revisionHistoryLimit: 0, paused: true });
  expect(await world.sizes()).toEqual({ v3: 3 });
});
