import { afterEach, expect, test } from "vitest";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/volume/persistent-volume-claim.ts";
import { PodDisruptionBudget } from "../api/policy/v1/pod-disruption-budget.ts";
import { PriorityClass } from "../api/scheduling/v1/priority-class.ts";
import { StorageClass } from "../api/storage/v1/storage-class.ts";
import { asking, type SchedulingCluster, schedulingCluster } from "./cluster.test-support.ts";

let cluster: SchedulingCluster;
afterEach(() => cluster.end());

async function clusterWithClasses(): Promise<SchedulingCluster> {
  const one = await schedulingCluster();
  for (const [name, value] of [
    ["low", 1],
    ["mid", 5],
    ["high", 10],
  ] as const)
    await one.client.create(PriorityClass, { metadata: { name }, value });
  await one.client.create(PriorityClass, {
    metadata: { name: "polite" },
    value: 20,
    preemptionPolicy: "Never",
  });
  return one;
}

const pod = (name: string, priorityClassName: string, cpu: string, labels = {}) =>
  cluster.pod(name, { ...asking({ cpu }), priorityClassName }, labels);
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).sort();
const going = async () =>
  (await cluster.client.list(Pod, {})).items.filter(({ metadata }) => metadata.deletionTimestamp);
/** Removes terminating pods, as a kubelet does. */
const endGoing = async () => {
  for (const { metadata } of await going())
    await cluster.client.delete(
      Pod,
      { name: metadata.name ?? "", namespace: metadata.namespace },
      { gracePeriodSeconds: 0 },
    );
};

test("victims are evicted, the pod is nominated for their node, and then bound there", async () => {
  cluster = await clusterWithClasses();
  await cluster.node("n1", { cpu: "2" });
  await pod("a", "low", "1");
  await pod("b", "mid", "1");
  await cluster.settled();
  await pod("c", "high", "1");
  await cluster.settled();
  const [victim] = await going();
  expect(victim?.metadata.name).toBe("a");
  expect(victim?.status.conditions).toContainEqual(
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: "default-scheduler: preempting to accommodate a higher priority pod",
    }),
  );
  const waiting = await cluster.getPod("c");
  expect(waiting.status.nominatedNodeName).toBe("n1");
  expect(waiting.spec.nodeName).toBeUndefined();
  expect(await cluster.podEvents()).toContain(
    `Preempted a: Preempted by pod ${waiting.metadata.uid} on node n1`,
  );
  expect(await cluster.podEvents()).toContain(
    "FailedScheduling c: 0/1 nodes are available: 1 Insufficient cpu.",
  );
  await endGoing();
  await cluster.advance("2s");
  expect((await cluster.placement()).c).toBe("n1");
});

test("as few pods as needed are evicted, those of the lowest priority", async () => {
  cluster = await clusterWithClasses();
  await cluster.node("n1", { cpu: "4" });
  for (const [name, priority] of [
    ["a", "low"],
    ["b", "low"],
    ["c", "mid"],
    ["d", "mid"],
  ] as const)
    await pod(name, priority, "1");
  await cluster.settled();
  await pod("e", "high", "2");
  await cluster.settled();
  expect(names(await going())).toEqual(["a", "b"]);
});

test("the node whose victims matter least is chosen", async () => {
  cluster = await clusterWithClasses();
  for (const name of ["n1", "n2"]) await cluster.node(name, { cpu: "1", labels: { n: name } });
  const on = (name: string, node: string, priorityClassName: string) =>
    cluster.pod(name, { ...asking({ cpu: "1" }), priorityClassName, nodeSelector: { n: node } });
  await on("a", "n1", "mid");
  await on("b", "n2", "low");
  await cluster.settled();
  await pod("c", "high", "1");
  await cluster.settled();
  expect(names(await going())).toEqual(["b"]);
});

test("no budget is violated if another node fits", async () => {
  cluster = await clusterWithClasses();
  for (const name of ["n1", "n2"]) await cluster.node(name, { cpu: "1", labels: { n: name } });
  const on = (name: string, node: string, labels: Record<string, string>) =>
    cluster.pod(
      name,
      { ...asking({ cpu: "1" }), priorityClassName: "low", nodeSelector: { n: node } },
      labels,
    );
  await on("guarded", "n1", { app: "guarded" });
  await on("free", "n2", { app: "free" });
  await cluster.client.create(PodDisruptionBudget, {
    metadata: { name: "guard", namespace: "default" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } },
  });
  await cluster.settled();
  await pod("c", "high", "1");
  await cluster.settled();
  expect(names(await going())).toEqual(["free"]);
});

test("a pod with preemptionPolicy Never waits", async () => {
  cluster = await clusterWithClasses();
  await cluster.node("n1", { cpu: "1" });
  await pod("a", "low", "1");
  await cluster.settled();
  await pod("b", "polite", "1");
  await cluster.settled();
  expect(await going()).toEqual([]);
  const podEvents = await cluster.podEvents();
  expect(podEvents).toContain(
    "FailedScheduling b: 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  );
});

test("while a victim is terminating, no other is evicted", async () => {
  cluster = await clusterWithClasses();
  await cluster.node("n1", { cpu: "2" });
  await pod("a", "low", "1");
  await pod("b", "low", "1");
  await cluster.settled();
  await pod("c", "high", "1");
  await cluster.advance("20s");
  // An event requeues the pod.
  await cluster.node("tiny", { cpu: "100m" });
  await cluster.advance("20s");
  expect(await going()).toHaveLength(1);
});

test("only pods of a higher priority can use the room for a nominated pod", async () => {
  cluster = await clusterWithClasses();
  await cluster.node("n1", { cpu: "1" });
  await pod("victim", "low", "1");
  await cluster.settled();
  await pod("waiting", "high", "1");
  await cluster.settled();
  await pod("sneaky", "mid", "1");
  await cluster.settled();
  await endGoing();
  await cluster.advance("15s");
  expect(await cluster.placement()).toEqual({ waiting: "n1", sneaky: undefined });
});

test("pods of an equal or higher priority are never evicted", async () => {
  cluster = await clusterWithClasses();
  await cluster.node("n1", { cpu: "1" });
  await pod("a", "mid", "1");
  await cluster.settled();
  await pod("b", "mid", "1");
  await pod("c", "low", "1");
  await cluster.settled();
  expect(await going()).toEqual([]);
  expect((await cluster.getPod("b")).status.conditions?.[0]?.message).toContain(
    "No preemption victims found for incoming pod",
  );
});

test("the holder of a claim for one pod is evicted, wherever it is", async () => {
  cluster = await clusterWithClasses();
  await cluster.node("n1");
  await cluster.client.create(StorageClass, {
    metadata: { name: "later" },
    provisioner: "example.com/later",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const namespace = "default";
  const { client } = cluster;
  const claim = { kind: "PersistentVolumeClaim", namespace, name: "data", apiVersion: "v1" };
  const volume = await client.create(PersistentVolume, {
    metadata: { name: "pv" },
    spec: {
      accessModes: ["ReadWriteOncePod"],
      capacity: { storage: "1Gi" },
      storageClassName: "later",
      csi: { driver: "example.com", volumeHandle: "1" },
      claimRef: claim,
    },
  });
  await client.create(PersistentVolumeClaim, {
    metadata: {
      ...{ name: "data", namespace },
      annotations: { "pv.kubernetes.io/bind-completed": "yes" },
    },
    spec: {
      accessModes: ["ReadWriteOncePod"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "later",
      volumeName: volume.metadata.name,
    },
  });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  await cluster.pod("holder", { volumes, priorityClassName: "low" });
  await cluster.settled();
  expect((await cluster.placement()).holder).toBe("n1");
  await cluster.pod("patient", { volumes, priorityClassName: "low" });
  await cluster.settled();
  expect((await cluster.getPod("patient")).status.conditions?.[0]?.message).toContain(
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  );
  await cluster.pod("eager", { volumes, priorityClassName: "high" });
  await cluster.settled();
  expect(names(await going())).toEqual(["holder"]);
  await endGoing();
  await cluster.advance("15s");
  expect(await cluster.placement()).toMatchObject({ eager: "n1", patient: undefined });
});
