import { afterEach, beforeEach, expect, test } from "vitest";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { partsOf, type RunningCluster, runningOn } from "../running.test-support.ts";
import { replicaSetModule } from "./replica-set-module.ts";

let cluster: RunningCluster;
/** What the controller writes, as in `POST pods`. */
let writes: string[];
beforeEach(async () => {
  writes = [];
  const whole = await startCluster({ clock: "virtual", namespace: "default" });
  const reached = whole.faults.transport("controllers");
  cluster = await runningOn(
    {
      ...whole,
      transport(request) {
        const [, , , , , resource, , subresource] = request.path.split("/");
        if (resource === "pods") writes.push(`${request.method} pods`);
        if (subresource === "status") writes.push("status");
        return reached(request);
      },
    },
    ...partsOf(replicaSetModule),
  );
});
afterEach(() => cluster.end());

const labels = { app: "web" };
const spec = { containers: [{ name: "web", image: "nginx" }] };
const replicaSet = (replicas: number) =>
  cluster.client.create(ReplicaSet, {
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
const scale = (replicas: number) =>
  cluster.client.patch(ReplicaSet, { name: "web" }, { merge: { spec: { replicas } } });

async function status(): Promise<ReplicaSet["status"]> {
  await cluster.settled();
  return (await cluster.client.get(ReplicaSet, { name: "web" })).status;
}

/** The names of all pods, of those that it controls only if asked to. */
async function pods(controller?: string): Promise<string[]> {
  await cluster.settled();
  const { items } = await cluster.client.list(Pod, { namespace: "default" });
  return items
    .filter(
      ({ metadata }) =>
        controller === undefined || metadata.ownerReferences?.[0]?.uid === controller,
    )
    .map(({ metadata }) => metadata.name ?? "");
}

/** What is written up to the first status: by one reconcile. */
const firstReconcile = (): string[] => writes.slice(0, writes.indexOf("status"));

test("a reconcile creates or deletes 500 pods at most", async () => {
  await replicaSet(501);
  expect(await status()).toMatchObject({ replicas: 501 });
  expect(firstReconcile()).toEqual(Array(500).fill("POST pods"));
  writes = [];
  await scale(0);
  expect(await status()).toMatchObject({ replicas: 0 });
  expect(firstReconcile()).toEqual(Array(500).fill("DELETE pods"));
});

test("while creations fail, one pod is tried at a time", async () => {
  const error = new StatusError("Forbidden", "not now");
  cluster.faults.add({
    calls: { verb: "create", resource: "pods" },
    fault: { type: "fail", error },
  });
  await replicaSet(100);
  await status();
  expect(firstReconcile()).toEqual(["POST pods"]);
  cluster.faults.clear();
  await cluster.advance("1m");
  expect(await status()).toMatchObject({ replicas: 100 });
});

test("failed deletions of pods set a condition and record an event", async () => {
  await replicaSet(2);
  await status();
  const error = new StatusError("Forbidden", "not now");
  cluster.faults.add({
    calls: { verb: "delete", resource: "pods" },
    fault: { type: "fail", error },
  });
  await scale(0);
  expect((await status()).conditions).toMatchObject([
    {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedDelete",
      message: "unable to delete pods: not now",
    },
  ]);
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  const failed = items.filter(({ reason }) => reason === "FailedDelete");
  expect(failed[0]).toMatchObject({
    type: "Warning",
    message: "Error deleting: not now",
    reportingComponent: "replicaset-controller",
  });
  cluster.faults.clear();
  await cluster.advance("1m");
  const healed = await status();
  expect(healed).toMatchObject({ replicas: 0 });
  expect(healed.conditions).toBeUndefined();
});

test("a new pod with matching labels is adopted, and the excess pod is deleted", async () => {
  const { metadata } = await replicaSet(1);
  const [first] = await pods();
  await cluster.client.create(Pod, { metadata: { name: "stray", labels }, spec });
  expect(await pods(metadata.uid)).toHaveLength(1);
  expect(await pods()).toHaveLength(1);
  expect([first, "stray"]).toContain((await pods())[0]);
});

test("a pod that gets matching labels is adopted", async () => {
  const { metadata } = await replicaSet(1);
  await cluster.settled();
  await cluster.client.create(Pod, { metadata: { name: "stray" }, spec });
  expect(await pods()).toHaveLength(2);
  await cluster.client.patch(Pod, { name: "stray" }, { merge: { metadata: { labels } } });
  expect(await pods(metadata.uid)).toHaveLength(1);
  expect(await pods()).toHaveLength(1);
});

test("a pod that another controller takes over is replaced", async () => {
  const { metadata } = await replicaSet(2);
  const [name = ""] = await pods();
  const other = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "other", uid: "other" };
  const ownerReferences = [{ ...other, controller: true }];
  await cluster.client.patch(Pod, { name }, { merge: { metadata: { ownerReferences } } });
  expect(await pods(metadata.uid)).toHaveLength(2);
  expect(await pods("other")).toEqual([name]);
});

test("pods of a former replica set of the same name are not counted", async () => {
  await replicaSet(2);
  const old = await pods();
  await cluster.client.delete(ReplicaSet, { name: "web" });
  const { metadata } = await replicaSet(3);
  expect(await status()).toMatchObject({ replicas: 3 });
  expect(await pods(metadata.uid)).toHaveLength(3);
  expect(await pods()).toEqual(expect.arrayContaining(old));
});

test("terminated pods do not count, and are kept", async () => {
  await replicaSet(2);
  const [failed = "", succeeded = ""] = await pods();
  for (const [name, phase] of [
    [failed, "Failed"],
    [succeeded, "Succeeded"],
  ] as const)
    await cluster.client.patch(
      Pod,
      { name },
      { merge: { status: { phase } } },
      { subresource: "status" },
    );
  expect(await status()).toMatchObject({ replicas: 2 });
  expect(await pods()).toHaveLength(4);
  expect(await pods()).toEqual(expect.arrayContaining([failed, succeeded]));
});

test("a terminating pod is replaced at once, and counted as terminating", async () => {
  await replicaSet(1);
  const [name = ""] = await pods();
  const merge = { metadata: { finalizers: ["example.com/wait"] } };
  await cluster.client.patch(Pod, { name }, { merge });
  await cluster.client.delete(Pod, { name });
  expect(await status()).toMatchObject({ replicas: 1, terminatingReplicas: 1 });
  await cluster.client.patch(Pod, { name }, { merge: { metadata: { finalizers: null } } });
  expect(await status()).toMatchObject({ replicas: 1, terminatingReplicas: 0 });
});

test.each([
  { who: "a replica set of a deployment deletes one of those that share a node", isOwned: true },
  { who: "one that stands alone deletes the youngest, wherever it is", isOwned: false },
])("of too many pods, $who", async ({ isOwned }) => {
  const { client, clock } = cluster;
  const make = async (name: string, nodeName: string) => {
    const placed = { ...spec, nodeName, terminationGracePeriodSeconds: 0 };
    await client.create(Pod, { metadata: { name, labels }, spec: placed });
    const lastTransitionTime = formatTime(timeFromMillis(clock.now()));
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime }] as const;
    const merge = { status: { phase: "Running", conditions } } as const;
    await client.patch(Pod, { name }, { merge }, { subresource: "status" });
  };
  await make("a", "n1");
  await make("b", "n1");
  await cluster.advance("1h");
  await make("young", "n2");
  await replicaSet(3);
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: "d" };
  const ownerReferences = isOwned ? [{ ...deployment, controller: true }] : null;
  await client.patch(ReplicaSet, { name: "web" }, {
    merge: { metadata: { ownerReferences } },
  } as never);
  expect(await pods()).toHaveLength(3);
  await scale(2);
  expect(await pods()).toHaveLength(2);
  expect((await pods()).includes("young")).toBe(isOwned);
});
