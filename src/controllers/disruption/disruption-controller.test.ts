import { afterEach, beforeEach, expect, test } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import { dynamicKind, type KubernetesObject } from "../../client/resource-kind.ts";
import { Eviction } from "../../client/subresource-kinds.ts";
import { withController } from "../../controller-runtime/objects/owner-references.ts";
import { addPod, setReady, webLabels } from "../endpoints/web.test-support.ts";
import { type RunningCluster, runningCluster } from "../running.test-support.ts";
import { disruptionController } from "./disruption-controller.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(disruptionController());
});
afterEach(() => cluster.end());

const addBudget = (spec: object, name = "b") =>
  cluster.client.create(PodDisruptionBudget, {
    metadata: { name },
    spec: { selector: { matchLabels: webLabels }, ...spec },
  });

async function status(name = "b"): Promise<PodDisruptionBudget["status"]> {
  await cluster.settled();
  return (await cluster.client.get(PodDisruptionBudget, { name })).status;
}

async function addOwnedPod(name: string, owner: KubernetesObject): Promise<void> {
  const { metadata } = withController({ metadata: { namespace: "default" } }, owner);
  await addPod(cluster, { name });
  await cluster.client.patch(Pod, { name }, { merge: { metadata } });
}

async function events(): Promise<string[]> {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items.map(({ type, reason, message }) => `${type} ${reason} ${message}`).sort();
}

const evict = (name: string) =>
  cluster.client
    .subresource(Pod, { name }, "eviction")
    .create(Eviction, { metadata: { name } } as never);

const template = {
  metadata: { labels: webLabels },
  spec: { containers: [{ name: "web", image: "web" }] },
};
const workload = (replicas: number, rest: object = {}) =>
  ({
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: webLabels }, template, ...rest },
  }) as never;

test("pods are counted as they are created, become ready and are deleted", async () => {
  await addBudget({ minAvailable: 1 });
  expect(await status()).toMatchObject({ expectedPods: 0, currentHealthy: 0, desiredHealthy: 1 });
  expect(await events()).toEqual(["Normal NoPods No matching pods found"]);
  await addPod(cluster, { name: "a" });
  await addPod(cluster, { name: "b", ready: false });
  expect(await status()).toMatchObject({
    observedGeneration: 1,
    expectedPods: 2,
    currentHealthy: 1,
    disruptionsAllowed: 0,
    conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
  });
  await setReady(cluster, "b", true);
  expect(await status()).toMatchObject({
    currentHealthy: 2,
    disruptionsAllowed: 1,
    conditions: [{ type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }],
  });
  await cluster.client.patch(Pod, { name: "a" }, { merge: { metadata: { labels: { app: "x" } } } });
  expect(await status()).toMatchObject({ expectedPods: 2, disruptionsAllowed: 1 });
  await setReady(cluster, "b", false);
  expect(await status()).toMatchObject({ expectedPods: 1, currentHealthy: 0 });
  await cluster.client.delete(Pod, { name: "b" }, { gracePeriodSeconds: 0 });
  expect(await status()).toMatchObject({ expectedPods: 0, currentHealthy: 0 });
});

test("a change of the budget updates its status", async () => {
  await addPod(cluster, { name: "a" });
  await addBudget({ minAvailable: 1 });
  expect(await status()).toMatchObject({ disruptionsAllowed: 0 });
  await cluster.client.patch(
    PodDisruptionBudget,
    { name: "b" },
    { merge: { spec: { minAvailable: 0 } } },
  );
  expect(await status()).toMatchObject({
    observedGeneration: 2,
    disruptionsAllowed: 1,
    conditions: [{ observedGeneration: 2 }],
  });
});

test.each([
  [{ matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] }, 1],
  [{ matchExpressions: [{ key: "app", operator: "In", values: ["web", "x"] }] }, 2],
  [{ matchExpressions: [{ key: "app", operator: "Exists" }] }, 3],
  [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] }, 2],
  [{ matchLabels: webLabels, matchExpressions: [{ key: "app", operator: "DoesNotExist" }] }, 0],
  [{}, 3],
])(
  "the selector %j matches %i of the pods, whichever is created first",
  async (selector, count) => {
    const apps = ["web", "x", "y"];
    for (const app of apps) await addPod(cluster, { name: app, labels: { app } });
    await addBudget({ minAvailable: 0, selector });
    expect(await status()).toMatchObject({ expectedPods: count });
    for (const app of apps) await addPod(cluster, { name: `${app}2`, labels: { app } });
    expect(await status()).toMatchObject({ expectedPods: 2 * count });
  },
);

test("an irrelevant update of a pod causes no write", async () => {
  await addPod(cluster, { name: "a" });
  const { metadata } = await addBudget({ minAvailable: 1 });
  await status();
  const before = await cluster.client.get(PodDisruptionBudget, { name: metadata.name ?? "" });
  const change = { metadata: { annotations: { a: "b" } } };
  await cluster.client.patch(Pod, { name: "a" }, { merge: change });
  await cluster.advance("10m");
  expect(await cluster.client.get(PodDisruptionBudget, { name: "b" })).toEqual(before);
});

test.each([
  ["a replica set", async () => cluster.client.create(ReplicaSet, workload(7)), 7],
  [
    "a stateful set",
    async () => cluster.client.create(StatefulSet, workload(5, { serviceName: "web" })),
    5,
  ],
  [
    "a replication controller",
    async () => cluster.client.create(ReplicationController, workload(3, { selector: webLabels })),
    3,
  ],
  [
    "the deployment of a replica set",
    async () => {
      const deployment = await cluster.client.create(Deployment, workload(9));
      const set = workload(4) as { metadata: object };
      const metadata = { ...set.metadata, namespace: "default" };
      return cluster.client.create(
        ReplicaSet,
        withController({ ...set, metadata }, deployment) as never,
      );
    },
    9,
  ],
])("a percentage is one of what %s means to have", async (_name, create, replicas) => {
  const owner = await create();
  await addOwnedPod("a", owner);
  await addOwnedPod("b", owner);
  await addBudget({ maxUnavailable: "50%" });
  const desired = replicas - Math.ceil(replicas / 2);
  expect(await status()).toMatchObject({
    expectedPods: replicas,
    desiredHealthy: desired,
    currentHealthy: 2,
    disruptionsAllowed: Math.max(0, 2 - desired),
  });
});

test("the desired pods of a custom controller are read from its scale", async () => {
  const names = { plural: "webs", singular: "web", kind: "Web", listKind: "WebList" };
  const kind = dynamicKind({ ...names, group: "example.com", version: "v1", scope: "Namespaced" });
  await cluster.client.create(CustomResourceDefinition, {
    metadata: { name: "webs.example.com" },
    spec: {
      group: "example.com",
      names,
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
          subresources: {
            scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
          },
        },
      ],
    },
  } as never);
  await cluster.advance("5s");
  const owner = await cluster.client.create(kind, {
    apiVersion: "example.com/v1",
    kind: "Web",
    metadata: { name: "web" },
    spec: { replicas: 6 },
  });
  await addOwnedPod("a", owner);
  await addBudget({ minAvailable: "50%" });
  expect(await status()).toMatchObject({ expectedPods: 6, desiredHealthy: 3, currentHealthy: 1 });
});

test("for pods of a controller without a scale the budget fails, and allows no disruption", async () => {
  const { replicas: _, ...spec } = (workload(0) as { spec: { replicas: number } }).spec;
  const owner = await cluster.client.create(DaemonSet, {
    metadata: { name: "web" },
    spec,
  } as never);
  await addOwnedPod("a", owner);
  await addBudget({ maxUnavailable: 1 });
  const why = "daemonsets.apps does not implement the scale subresource";
  expect(await status()).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [
      { type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: why },
    ],
  });
  expect(await events()).toEqual([
    `Warning CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: ${why}`,
  ]);
});

test("for pods whose controller is gone the budget fails", async () => {
  const owner = await cluster.client.create(ReplicaSet, workload(1));
  await addOwnedPod("a", owner);
  await cluster.client.delete(ReplicaSet, { name: "web" }, { propagationPolicy: "Background" });
  await cluster.settled();
  await addBudget({ maxUnavailable: 1 });
  expect((await status()).conditions).toMatchObject([
    { reason: "SyncFailed", message: 'found no controllers for pod "a"' },
  ]);
});

test("pods without a controller are reported, and not expected", async () => {
  await addPod(cluster, { name: "a" });
  await addBudget({ maxUnavailable: 1 });
  expect(await status()).toMatchObject({ expectedPods: 0, currentHealthy: 1, desiredHealthy: 0 });
  expect(await events()).toEqual([
    'Warning UnmanagedPods Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
  ]);
});

test("evictions are allowed one after the other, as pods are replaced", async () => {
  for (const name of ["a", "b", "c"]) await addPod(cluster, { name });
  await addBudget({ minAvailable: 2 });
  expect(await status()).toMatchObject({ disruptionsAllowed: 1 });
  await evict("a");
  await expect(evict("b")).rejects.toMatchObject({ code: 429 });
  await cluster.settled();
  await expect(evict("b")).rejects.toMatchObject({ code: 429 });
  await cluster.client.delete(Pod, { name: "a" }, { gracePeriodSeconds: 0 });
  expect(await status()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
  expect((await status()).disruptedPods).toBeUndefined();
  await addPod(cluster, { name: "d" });
  expect(await status()).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
  await evict("b");
  expect(await status()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
});

test("an evicted pod that is not deleted within two minutes counts again, with an event", async () => {
  await addPod(cluster, { name: "a" });
  await addBudget({ minAvailable: 0 });
  await status();
  await cluster.client.patch(
    PodDisruptionBudget,
    { name: "b" },
    { merge: { status: { disruptedPods: { a: "2026-01-01T00:00:00Z" } } } as never },
    { subresource: "status" },
  );
  expect(await status()).toMatchObject({
    currentHealthy: 0,
    disruptedPods: { a: expect.any(String) },
  });
  await cluster.advance("119s");
  expect(await status()).toMatchObject({ currentHealthy: 0 });
  await cluster.advance("2s");
  expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 1 });
  expect((await status()).disruptedPods).toBeUndefined();
  expect(await events()).toEqual([
    "Warning NotDeleted Pod was expected by PDB default/default to be deleted but it wasn't",
  ]);
});

test("budgets that share pods are all updated, with a warning event", async () => {
  await addBudget({ minAvailable: 0 });
  await addBudget({ minAvailable: 0, selector: {} }, "c");
  await cluster.settled();
  await addPod(cluster, { name: "a" });
  expect(await status("b")).toMatchObject({ expectedPods: 1, disruptionsAllowed: 1 });
  expect(await status("c")).toMatchObject({ expectedPods: 1, disruptionsAllowed: 1 });
  expect(await events()).toContain(
    'Warning MultiplePodDisruptionBudgets Pod "default"/"a" matches multiple PodDisruptionBudgets.  Chose "b" arbitrarily.',
  );
});
