import { afterEach, beforeEach, expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { deploymentController } from "./deployment-controller.ts";
import { type DeploymentWorld, deploymentWorld, labels } from "./deployment-world.test-support.ts";
import { replicaSetName } from "./new-replica-set.ts";
import { templateHash } from "./pod-template-hash.ts";

let world: DeploymentWorld;
beforeEach(async () => {
  world = await deploymentWorld();
});
afterEach(() => world.end());

const replicaSet = (name: string, image: string, replicas: number) => ({
  metadata: { name, labels: { ...labels, mine: name } },
  spec: {
    replicas,
    selector: { matchLabels: { ...labels, mine: name } },
    template: {
      metadata: { labels: { ...labels, mine: name } },
      spec: { containers: [{ name: "web", image }] },
    },
  },
});

const ownerOf = ({ metadata }: ReplicaSet) => metadata.ownerReferences?.map(({ name }) => name);

test("a matching orphan is adopted and rolled out; a replica set that no longer matches is released", async () => {
  await world.client.create(ReplicaSet, replicaSet("stray", "other", 2));
  await world.create({ replicas: 4 });
  await world.makeReady();
  const { other } = await world.replicaSets();
  expect(other && ownerOf(other)).toEqual(["web"]);
  expect(await world.sizes()).toEqual({ v1: 4, other: 0 });

  const { v1 } = await world.replicaSets();
  await world.client.patch(
    ReplicaSet,
    { name: v1?.metadata.name ?? "" },
    { merge: { metadata: { labels: { app: "else" } } } },
  );
  await world.makeReady();
  const all = (await world.client.list(ReplicaSet, { namespace: "default" })).items;
  const released = all.find(({ metadata }) => metadata.uid === v1?.metadata.uid);
  expect(released && ownerOf(released)).toBeUndefined();
  // Its name is taken: the next one has another.
  expect((await world.get()).status.collisionCount).toBe(1);
  const made = all.find((one) => one.spec.replicas === 4 && ownerOf(one)?.[0] === "web");
  expect(made?.metadata.name).not.toBe(v1?.metadata.name);
});

test("an orphan with the current template is adopted, with its name and size", async () => {
  const { spec, ...rest } = replicaSet("theirs", "v1", 3);
  const template = { ...spec.template, metadata: { labels } };
  await world.client.create(ReplicaSet, {
    ...rest,
    spec: { ...spec, selector: { matchLabels: labels }, template },
  });
  await world.create({ replicas: 3 });
  await world.makeReady();
  const { v1, ...others } = await world.replicaSets();
  expect([v1?.metadata.name, v1?.spec.replicas, others]).toEqual(["theirs", 3, {}]);
  expect(v1?.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
  expect(await world.condition("Progressing")).toMatch(/^True NewReplicaSetAvailable/);
});

test("objects of another controller are left alone", async () => {
  const other = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "u", controller: true };
  const { metadata, spec } = replicaSet("theirs", "v0", 2);
  await world.client.create(ReplicaSet, {
    metadata: { ...metadata, ownerReferences: [other] },
    spec,
  });
  await world.create();
  expect(await world.sizes()).toEqual({ v0: 2, v1: 3 });
});

test("a replica set name that is taken counts as a collision: the retry has another hash", async () => {
  const meant = await world.client.create(Deployment, {
    metadata: { name: "web" },
    spec: {
      paused: true,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "v1" }] } },
    },
  });
  const name = replicaSetName("web", templateHash(meant));
  const { metadata, spec } = replicaSet(name, "taken", 0);
  await world.client.create(ReplicaSet, {
    metadata: { ...metadata, labels: { not: "meant" } },
    spec,
  });
  await world.change({ paused: false });
  await world.advance("1s");
  const { status } = await world.get();
  expect(status.collisionCount).toBe(1);
  const { v1 } = await world.replicaSets();
  expect(v1?.metadata.name).toBe(
    replicaSetName("web", templateHash({ spec: meant.spec, status: { collisionCount: 1 } })),
  );
});

test("a failed creation of a replica set sets a condition; all calls use the controller's account", async () => {
  await using cluster = await startCluster({ clock: "virtual", nodes: 0, namespace: "default" });
  const { client, faults } = cluster;
  const error = new StatusError("InternalError", "broken");
  faults.add({
    calls: { user: "deployment-controller", verb: "create", resource: "replicasets" },
    fault: { type: "fail", error },
  });
  const { metadata, spec } = replicaSet("web", "v1", 1);
  const created = await client.create(Deployment, { metadata, spec });
  await cluster.advance("1s");
  const name = replicaSetName("web", templateHash(created));
  const message = `Failed to create new replica set "${name}": broken`;
  const progress = async () =>
    (await client.get(Deployment, { name: "web" })).status.conditions?.find(
      ({ type }) => type === "Progressing",
    );
  expect(await progress()).toMatchObject({
    status: "False",
    reason: "ReplicaSetCreateError",
    message,
  });
  const { items } = await client.list(Event, { namespace: "default" });
  expect(items.map(({ type, reason, message }) => [type, reason, message])).toEqual([
    ["Warning", "ReplicaSetCreateError", message],
  ]);
  faults.clear();
  await cluster.advance("5s");
  expect(await progress()).toMatchObject({ status: "True", reason: "ReplicaSetUpdated" });
});

test("failed creations of pods set a condition of the deployment, too", async () => {
  await world.client.delete(ServiceAccount, { name: "default" });
  await world.create();
  expect(await world.condition("ReplicaFailure")).toMatch(
    /^True FailedCreate pods "web-\w+-" is forbidden: error looking up service account default\/default/,
  );
  await world.client.create(ServiceAccount, { metadata: { name: "default" } });
  await world.advance("20m");
  expect(await world.condition("ReplicaFailure")).toBeUndefined();
});

test("the status of a deployment that is being deleted is written, and nothing else", async () => {
  await world.create();
  await world.makeReady();
  const finalizers = ["example.com/wait"];
  await world.client.patch(Deployment, { name: "web" }, { merge: { metadata: { finalizers } } });
  await world.client.delete(Deployment, { name: "web" });
  const going = await world.rollTo("v2");
  expect(going.metadata.deletionTimestamp).toBeDefined();
  expect(going.status.observedGeneration).toBe(going.metadata.generation);
  expect(going.status.updatedReplicas).toBeUndefined();
  expect(await world.sizes()).toEqual({ v1: 3 });
});

test("nothing is created in a namespace that is being deleted, without an error", async () => {
  const { client } = world;
  const key = { namespace: "gone", name: "web" };
  const { spec } = await world.create({ paused: true });
  await client.create(Namespace, { metadata: { name: "gone" } });
  await client.create(Deployment, { metadata: key, spec });
  await world.settled();
  await client.delete(Namespace, { name: "gone" });
  await client.patch(Deployment, key, { merge: { spec: { paused: false } } });
  await world.advance("1m");
  expect((await client.list(ReplicaSet, { namespace: "gone" })).items).toEqual([]);
  const { conditions } = (await client.get(Deployment, key)).status;
  expect(conditions?.find(({ type }) => type === "Progressing")?.reason).toBe("DeploymentResumed");
});

test("a deployment whose selector is empty is not rolled out", async () => {
  await using cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const { client, clock, random } = cluster;
  const { metadata, spec } = replicaSet("web", "v1", 1);
  const created = await client.create(Deployment, { metadata, spec });
  // The server lets none in, but it may be there from before.
  const strange = { ...created, spec: { ...created.spec, selector: {} } };
  const told: RecordedEvent[] = [];
  await deploymentController.reconcile({ namespace: "default", name: "web" }, {
    client,
    clock,
    random,
    cache: { get: async () => strange },
    events: { record: (_: unknown, event: RecordedEvent) => void told.push(event) },
    signal: new AbortController().signal,
  } as unknown as ReconcileContext);
  expect(told).toEqual([
    {
      type: "Warning",
      reason: "SelectingAll",
      note: "This deployment is selecting all pods. A non-empty selector is required.",
    },
  ]);
  const { status } = await client.get(Deployment, { name: "web" });
  expect(status).toEqual({ observedGeneration: 1 });
});
