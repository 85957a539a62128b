import { afterEach, beforeEach, expect, test } from "vitest";
import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { targetNode } from "./daemon-pod.ts";
import { daemonSetModule } from "./daemon-set-module.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(...partsOf(daemonSetModule));
  for (const name of ["n1", "n2", "n3"]) await addNode(name);
});
afterEach(() => cluster.end());

/** Adds a node that is ready: its first taint, of the admission, is gone. */
async function addNode(name: string, nodeLabels: Record<string, string> = { disk: "fast" }) {
  const { client } = cluster;
  await client.create(Node, { metadata: { name, labels: nodeLabels } });
  await client.patch(Node, { name }, { merge: { spec: { taints: null } } } as never);
}

const labels = { app: "d" };
const spec = { containers: [{ name: "web", image: "v1" }] };
const create = (parts: object = {}, podSpec: object = {}) =>
  cluster.client.create(DaemonSet, {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...spec, ...podSpec } },
      ...parts,
    },
  });
const change = (merge: object) =>
  cluster.client.patch(DaemonSet, { name: "d" }, { merge: merge as never });
const setImage = (image: string) =>
  change({ spec: { template: { spec: { containers: [{ name: "web", image }] } } } });
const rolling = (rollingUpdate: object) => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate },
});

async function status(): Promise<DaemonSet["status"]> {
  await cluster.settled();
  return (await cluster.client.get(DaemonSet, { name: "d" })).status;
}

async function pods(): Promise<readonly Pod[]> {
  await cluster.settled();
  return (await cluster.client.list(Pod, { namespace: "default" })).items;
}

async function revisions(): Promise<readonly ControllerRevision[]> {
  await cluster.settled();
  const { items } = await cluster.client.list(ControllerRevision, { namespace: "default" });
  return items.toSorted((a, b) => a.revision - b.revision);
}

/** The image on each node: `v1` where it is ready, `v1?` where it is not. */
async function images(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const pod of await pods()) {
    const isReady = pod.status.conditions?.some(({ type }) => type === "Ready");
    const text = `${pod.spec.containers[0]?.image}${isReady ? "" : "?"}`;
    const node = targetNode(pod) ?? "";
    found[node] = [...(found[node] ?? []), text].sort();
  }
  return found;
}

const setStatus = (name: string | undefined, merge: object) =>
  cluster.client.patch(
    Pod,
    { name: name ?? "" },
    { merge: { status: merge as never } },
    { subresource: "status" },
  );

async function makeReady(node?: string): Promise<void> {
  const lastTransitionTime = formatTime(timeFromMillis(cluster.clock.now()));
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
  for (const pod of await pods())
    if (!node || targetNode(pod) === node)
      await setStatus(pod.metadata.name, { phase: "Running", conditions });
  await cluster.settled();
}

async function events(reason: string): Promise<string[]> {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items
    .filter((event) => event.reason === reason)
    .map((event) => `${event.type} ${event.reportingComponent} ${event.message}`);
}

test("each node gets a pod, and the daemon set a revision", async () => {
  const { metadata } = await create();
  expect(await images()).toEqual({ n1: ["v1?"], n2: ["v1?"], n3: ["v1?"] });
  const [revision] = await revisions();
  const hash = revision?.metadata.labels?.["controller-revision-hash"];
  expect(revision).toMatchObject({
    metadata: {
      name: `d-${hash}`,
      labels: { app: "d" },
      annotations: { "deprecated.daemonset.template.generation": "1" },
      ownerReferences: [{ kind: "DaemonSet", uid: metadata.uid, controller: true }],
    },
    data: { spec: { template: { $patch: "replace", metadata: { labels } } } },
    revision: 1,
  });
  for (const pod of await pods())
    expect(pod.metadata.labels).toEqual({
      app: "d",
      "controller-revision-hash": hash,
      "pod-template-generation": "1",
    });
  expect(await status()).toEqual({
    currentNumberScheduled: 3,
    numberMisscheduled: 0,
    desiredNumberScheduled: 3,
    numberReady: 0,
    observedGeneration: 1,
    updatedNumberScheduled: 3,
    numberUnavailable: 3,
  });
  const [created] = await pods();
  expect(await events("SuccessfulCreate")).toContain(
    `Normal daemonset-controller Created pod: ${created?.metadata.name}`,
  );
});

test("nodes come and go, and change their labels and taints", async () => {
  await create({}, { nodeSelector: { disk: "fast" } });
  await makeReady();
  const { client } = cluster;
  await addNode("n4");
  await addNode("n5", {});
  expect(Object.keys(await images()).sort()).toEqual(["n1", "n2", "n3", "n4"]);
  await client.patch(Node, { name: "n4" }, { merge: { metadata: { labels: { disk: null } } } });
  expect(Object.keys(await images()).sort()).toEqual(["n1", "n2", "n3"]);
  await client.patch(
    Node,
    { name: "n1" },
    { merge: { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } } },
  );
  expect(await status()).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: 1 });
  await client.patch(
    Node,
    { name: "n1" },
    { merge: { spec: { taints: [{ key: "a", effect: "NoExecute" }] } } },
  );
  expect(await status()).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: 0 });
  await client.delete(Node, { name: "n3" });
  await addNode("n6");
  await cluster.settled();
  await client.delete(Node, { name: "n6" });
  expect(await status()).toMatchObject({ desiredNumberScheduled: 1 });
  // A pod that waits for a node that is gone is nobody else's to delete, even as no kubelet knows it.
  expect(Object.keys(await images()).sort()).toEqual(["n2"]);
});

test("a rolling update replaces one pod at a time", async () => {
  await create();
  await makeReady();
  await setImage("v2");
  expect(await images()).toEqual({ n1: ["v2?"], n2: ["v1"], n3: ["v1"] });
  expect(await status()).toMatchObject({ updatedNumberScheduled: 1, observedGeneration: 2 });
  await makeReady("n1");
  expect(await images()).toEqual({ n1: ["v2"], n2: ["v2?"], n3: ["v1"] });
  await makeReady("n2");
  await makeReady("n3");
  expect(await images()).toEqual({ n1: ["v2"], n2: ["v2"], n3: ["v2"] });
  expect((await revisions()).map(({ revision }) => revision)).toEqual([1, 2]);
});

test("an update that surges starts new pods before it deletes old ones", async () => {
  await create({ ...rolling({ maxSurge: 1, maxUnavailable: 0 }), minReadySeconds: 10 });
  await makeReady();
  await cluster.advance("10s");
  expect(await status()).toMatchObject({ numberAvailable: 3 });
  await setImage("v2");
  expect(await images()).toEqual({ n1: ["v1", "v2?"], n2: ["v1"], n3: ["v1"] });
  await makeReady("n1");
  await cluster.advance("5s");
  expect(await images()).toEqual({ n1: ["v1", "v2"], n2: ["v1"], n3: ["v1"] });
  await cluster.advance("5s");
  expect(await images()).toEqual({ n1: ["v2"], n2: ["v1", "v2?"], n3: ["v1"] });
  await makeReady("n2");
  await cluster.advance("10s");
  await makeReady("n3");
  await cluster.advance("10s");
  expect(await images()).toEqual({ n1: ["v2"], n2: ["v2"], n3: ["v2"] });
});

test("with OnDelete, pods change when somebody deletes them", async () => {
  await create({ updateStrategy: { type: "OnDelete" } });
  await makeReady();
  await setImage("v2");
  expect(await images()).toEqual({ n1: ["v1"], n2: ["v1"], n3: ["v1"] });
  const second = (await pods()).find((pod) => targetNode(pod) === "n2");
  await cluster.client.delete(Pod, { name: second?.metadata.name ?? "" });
  expect(await images()).toEqual({ n1: ["v1"], n2: ["v2?"], n3: ["v1"] });
});

test("a template that comes back makes its revision the newest", async () => {
  await create(rolling({ maxUnavailable: 3 }));
  await setImage("v2");
  const [first, second] = await revisions();
  await setImage("v1");
  const [older, newer] = await revisions();
  expect([older?.metadata.name, newer?.metadata.name]).toEqual([
    second?.metadata.name,
    first?.metadata.name,
  ]);
  expect([older?.revision, newer?.revision]).toEqual([2, 3]);
  expect(await images()).toEqual({ n1: ["v1?"], n2: ["v1?"], n3: ["v1?"] });
});

test("revisions beyond the limit are deleted, unless pods are made from them", async () => {
  await create({ revisionHistoryLimit: 1, updateStrategy: { type: "OnDelete" } });
  for (const image of ["v2", "v3", "v4", "v5"]) {
    await setImage(image);
    await cluster.settled();
  }
  expect((await revisions()).map(({ revision }) => revision)).toEqual([1, 5]);
});

test("equal revisions become one, whose hash their pods get", async () => {
  await create();
  const [first] = await revisions();
  const {
    resourceVersion: _,
    uid: __,
    creationTimestamp: ___,
    ...metadata
  } = first?.metadata ?? {};
  await cluster.client.create(ControllerRevision, {
    ...(first as ControllerRevision),
    metadata: {
      ...metadata,
      name: "d-other",
      labels: { ...metadata.labels, "controller-revision-hash": "other" },
    },
    revision: 7,
  });
  expect((await revisions()).map((one) => one.metadata.name)).toEqual(["d-other"]);
  for (const pod of await pods())
    expect(pod.metadata.labels?.["controller-revision-hash"]).toBe("other");
});

test("a revision whose name is taken is counted as a collision", async () => {
  await create(rolling({ maxUnavailable: 3 }));
  await setImage("v2");
  const [, second] = await revisions();
  await setImage("v1");
  await cluster.settled();
  const { name = "" } = second?.metadata ?? {};
  await cluster.client.delete(ControllerRevision, { name });
  await cluster.client.create(ControllerRevision, {
    metadata: { name },
    data: { other: true },
    revision: 1,
  });
  await setImage("v2");
  await cluster.advance("1m");
  expect(await status()).toMatchObject({ collisionCount: 1, observedGeneration: 4 });
  expect(await images()).toEqual({ n1: ["v2?"], n2: ["v2?"], n3: ["v2?"] });
});

test("failed pods are replaced, ever more slowly, and succeeded ones at once", async () => {
  await create({}, { nodeSelector: { disk: "fast" } });
  const fail = async (phase: string): Promise<string | undefined> => {
    const one = (await pods()).find((pod) => targetNode(pod) === "n1");
    await setStatus(one?.metadata.name, { phase });
    await cluster.settled();
    return one?.metadata.name;
  };
  const isThere = async (name: string | undefined) =>
    (await pods()).some(({ metadata }) => metadata.name === name);
  const first = await fail("Failed");
  expect(await isThere(first)).toBe(false);
  const second = await fail("Failed");
  expect(await isThere(second)).toBe(true);
  await cluster.advance("1s");
  expect(await isThere(second)).toBe(false);
  const third = await fail("Succeeded");
  expect(await isThere(third)).toBe(false);
  expect(await events("FailedDaemonPod")).toEqual(
    [first, second].map(
      (name) =>
        `Warning daemonset-controller Found failed daemon pod default/${name} on node n1, will try to kill it`,
    ),
  );
  expect(await events("SucceededDaemonPod")).toEqual([
    `Normal daemonset-controller Found succeeded daemon pod default/${third} on node n1, will try to delete it`,
  ]);
});

test("a matching orphan is adopted with its node, and released with its labels", async () => {
  await cluster.client.create(Pod, {
    metadata: { name: "stray", labels },
    spec: { ...spec, nodeName: "n2" },
  });
  const { metadata } = await create({ updateStrategy: { type: "OnDelete" } });
  const stray = await cluster.client.get(Pod, { name: "stray" });
  await cluster.settled();
  expect(await pods()).toHaveLength(3);
  expect((await cluster.client.get(Pod, { name: "stray" })).metadata.ownerReferences).toMatchObject(
    [{ uid: metadata.uid }],
  );
  await cluster.client.patch(
    Pod,
    { name: stray.metadata.name ?? "" },
    { merge: { metadata: { labels: { app: "x" } } } },
  );
  expect(await pods()).toHaveLength(4);
});

test("a creation that fails is retried, and told in an event", async () => {
  const error = new StatusError("Forbidden", "not now");
  cluster.faults.add({
    calls: { verb: "create", resource: "pods" },
    fault: { type: "fail", error },
  });
  await create();
  expect(await status()).toMatchObject({ currentNumberScheduled: 0, desiredNumberScheduled: 3 });
  expect((await events("FailedCreate"))[0]).toBe(
    "Warning daemonset-controller Error creating: not now",
  );
  cluster.faults.clear();
  await cluster.advance("1m");
  expect(await status()).toMatchObject({ currentNumberScheduled: 3 });
});
