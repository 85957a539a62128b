import { afterEach, expect, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import { nodeCondition } from "../../api/core/v1/node/node-state.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { settingValues } from "../controller-setting.ts";
import { addPod, eventsOf, type Kubelets, kubelets, taintsOf } from "../nodes.test-support.ts";
import { type RunningCluster, runningCluster } from "../running.test-support.ts";
import { nodeLifecycleController } from "./node-lifecycle-controller.ts";
import { type NodeLifecycleSettings, nodeLifecycleSettings } from "./node-lifecycle-settings.ts";

const defaults = settingValues(nodeLifecycleSettings);

let cluster: RunningCluster;
let machines: Kubelets;
afterEach(() => cluster.end());

async function start(
  settings: Partial<NodeLifecycleSettings> = {},
  beatMs = 10_000,
): Promise<void> {
  machines = kubelets(beatMs);
  const controller = nodeLifecycleController({ ...defaults, ...settings });
  cluster = await runningCluster(machines, controller);
}
const add = (names: readonly string[], options?: Parameters<Kubelets["add"]>[2]) =>
  machines.add(cluster.client, names, options);
const taints = (name: string) => taintsOf(cluster.client, name);
const readyOf = async (name: string) =>
  nodeCondition(await cluster.client.get(Node, { name }), "Ready");
const names = (count: number, prefix = "n") =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);
/** Which of the nodes are given up. */
async function givenUp(): Promise<string[]> {
  const { items } = await cluster.client.list(Node);
  return items
    .filter(({ spec }) => spec.taints?.some(({ effect }) => effect === "NoExecute"))
    .map(({ metadata }) => metadata.name ?? "");
}

test("a node without heartbeats is unknown after its grace period, and its pods are evicted", async () => {
  await start();
  await add(["a", "b"]);
  await addPod(cluster.client, "p", { node: "a" });
  await cluster.advance("60s");
  machines.fallSilent("a");
  await cluster.advance("50s");
  expect(await readyOf("a")).toMatchObject({ status: "True" });
  await cluster.advance("10s");
  const { status } = await cluster.client.get(Node, { name: "a" });
  const stopped = {
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  };
  expect(status.conditions).toMatchObject(
    ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
      type,
      ...stopped,
    })),
  );
  expect(await taints("a")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]);
  expect(await taints("b")).toEqual([]);
  const pod = await cluster.client.get(Pod, { name: "p" });
  expect(pod.status.conditions).toMatchObject([{ type: "Ready", status: "False" }]);
  expect(await eventsOf(cluster, "node-controller")).toEqual([
    "Normal NodeNotReady Node/a: Node a status is now: NodeNotReady",
    "Normal RegisteredNode Node/a: Node a event: Registered Node a in Controller",
    "Normal RegisteredNode Node/b: Node b event: Registered Node b in Controller",
    "Warning NodeNotReady Pod/p: Node is not ready",
  ]);
});

test("a node that reports again loses both taints", async () => {
  await start();
  await add(["a", "b"]);
  await cluster.advance("20s");
  machines.fallSilent("a");
  await cluster.advance("70s");
  expect(await taints("a")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]);
  machines.speakAgain("a");
  await machines.post(cluster.client, "a", "True");
  await cluster.advance("5s");
  expect(await taints("a")).toEqual([]);
});

test("a node without status has the startup grace period", async () => {
  await start();
  await add(["b"]);
  await add(["a"], { isNew: true });
  await cluster.advance("60s");
  expect(await readyOf("a")).toBeUndefined();
  await cluster.advance("5s");
  const { status, metadata } = await cluster.client.get(Node, { name: "a" });
  expect(status.conditions).toMatchObject(
    ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
      type,
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastHeartbeatTime: metadata.creationTimestamp,
    })),
  );
  await cluster.advance("5s");
  expect(await taints("a")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]);
});

test("a node that reports NotReady gets the not-ready taint, and its pods are not marked", async () => {
  await start();
  await add(["a", "b"]);
  await addPod(cluster.client, "p", { node: "a" });
  await cluster.advance("20s");
  await machines.post(cluster.client, "a", "False");
  await cluster.settled();
  expect(await taints("a")).toEqual(["not-ready:NoSchedule"]);
  await cluster.advance("5s");
  expect(await taints("a")).toEqual(["not-ready:NoExecute", "not-ready:NoSchedule"]);
  const pod = await cluster.client.get(Pod, { name: "p" });
  expect(pod.status.conditions).toMatchObject([{ type: "Ready", status: "True" }]);
  machines.fallSilent("a");
  await cluster.advance("65s");
  expect(await taints("a")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]);
  await machines.post(cluster.client, "a", "False");
  await cluster.advance("5s");
  expect(await taints("a")).toEqual(["not-ready:NoExecute", "not-ready:NoSchedule"]);
});

test("a pod that is bound to an unready node is marked as not ready", async () => {
  await start();
  await add(["a", "b"]);
  await cluster.advance("20s");
  machines.fallSilent("a");
  await cluster.advance("70s");
  const conditions = [{ type: "Ready", status: "True", reason: "Kept" }] as const;
  await cluster.client.create(Pod, {
    metadata: { name: "late" },
    spec: { containers: [{ name: "c", image: "app:1" }] },
  });
  const status = { phase: "Running" as const, conditions };
  const key = { name: "late" };
  await cluster.client.patch(Pod, key, { strategic: { status } }, { subresource: "status" });
  const target = { apiVersion: "v1", kind: "Node", name: "a" };
  await cluster.client.raw({
    method: "POST",
    path: "/api/v1/namespaces/default/pods/late/binding",
    body: JSON.stringify({ metadata: key, target }),
    headers: { "content-type": "application/json" },
  });
  await cluster.settled();
  const pod = await cluster.client.get(Pod, key);
  expect(pod.spec.nodeName).toBe("a");
  expect(pod.status.conditions).toContainEqual(
    expect.objectContaining({ type: "Ready", status: "False", reason: "Kept" }),
  );
});

test("conditions and unschedulable become NoSchedule taints, and other taints are kept", async () => {
  await start();
  await add(["a"], { labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" } });
  await cluster.settled();
  const theirs = { key: "theirs", effect: "NoSchedule" };
  const spec = { unschedulable: true, taints: [theirs] };
  await cluster.client.patch(Node, { name: "a" }, { merge: { spec } });
  await cluster.settled();
  const node = await cluster.client.get(Node, { name: "a" });
  expect(node.metadata.labels).toMatchObject({
    "beta.kubernetes.io/os": "linux",
    "beta.kubernetes.io/arch": "arm64",
  });
  expect(node.spec.taints).toEqual([
    theirs,
    {
      key: "node.kubernetes.io/unschedulable",
      effect: "NoSchedule",
      timeAdded: expect.any(String) as string,
    },
  ]);
  await cluster.client.patch(Node, { name: "a" }, { merge: { spec: { unschedulable: false } } });
  await cluster.settled();
  expect(await taints("a")).toEqual(["theirs:NoSchedule"]);
});

test("nodes are evicted one after the other, at the rate of their zone", async () => {
  await start();
  await add(names(4, "x"), { labels: { "topology.kubernetes.io/zone": "x" } });
  await add(names(20, "y"), { labels: { "topology.kubernetes.io/zone": "y" } });
  await cluster.advance("20s");
  for (const name of ["x0", "x1", "y0", "y1", "y2"])
    await machines.post(cluster.client, name, "False");
  await cluster.advance("5s");
  expect(await givenUp()).toEqual(["x0", "y0"]);
  await cluster.advance("10s");
  expect(await givenUp()).toEqual(["x0", "x1", "y0", "y1"]);
  await cluster.advance("10s");
  expect(await givenUp()).toEqual(["x0", "x1", "y0", "y1", "y2"]);
});

test("in a small disrupted zone no node is evicted, in a large one slowly", async () => {
  await start({ largeClusterSizeThreshold: 8 });
  await add(names(4, "x"), { labels: { "topology.kubernetes.io/zone": "x" } });
  await add(names(9, "y"), { labels: { "topology.kubernetes.io/zone": "y" } });
  await cluster.advance("20s");
  for (const name of [...names(3, "x"), ...names(6, "y")])
    await machines.post(cluster.client, name, "False");
  await cluster.advance("5s");
  expect(await givenUp()).toEqual(["y0"]);
  await cluster.advance("90s");
  expect(await givenUp()).toEqual(["y0"]);
  await cluster.advance("10s");
  expect(await givenUp()).toEqual(["y0", "y1"]);
});

test("when all nodes fail no node is evicted, and taints are removed", async () => {
  await start();
  await add(["a", "b"]);
  await cluster.advance("20s");
  machines.fallSilent("a");
  await cluster.advance("65s");
  expect(await givenUp()).toEqual(["a"]);
  machines.fallSilent("b");
  await cluster.advance("65s");
  expect(await readyOf("b")).toMatchObject({ status: "Unknown" });
  expect(await givenUp()).toEqual([]);
  await cluster.advance("600s");
  expect(await givenUp()).toEqual([]);

  // One that speaks again ends that, and gives the others their time anew.
  machines.speakAgain("b");
  await machines.post(cluster.client, "b", "True");
  await cluster.advance("5s");
  expect(await givenUp()).toEqual([]);
  await cluster.advance("15s");
  expect(await givenUp()).toEqual(["a"]);
});

test("excluded nodes do not count for the state of their zone", async () => {
  await start();
  const labels = { "node.kubernetes.io/exclude-disruption": "" };
  await add(["a"], { labels });
  await add(["b"]);
  await cluster.advance("20s");
  await machines.post(cluster.client, "b", "False");
  await cluster.advance("30s");
  expect(await givenUp()).toEqual([]);
});

test("an event is recorded for a deleted node, and its state is forgotten", async () => {
  await start();
  await add(["a", "b"]);
  await cluster.advance("20s");
  await cluster.client.delete(Node, { name: "a" });
  await cluster.advance("5s");
  expect(await eventsOf(cluster, "node-controller")).toContain(
    "Normal RemovingNode Node/a: Node a event: Removing Node a from Controller",
  );
});

test("a new node that already has the unreachable taint is tainted anew", async () => {
  await start();
  await add(["b"]);
  await cluster.advance("1s");
  const time = "2025-12-31T00:00:00Z";
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
  const key = "node.kubernetes.io/unreachable";
  await cluster.client.create(Node, {
    metadata: { name: "a" },
    spec: { taints: [{ key, effect: "NoExecute", timeAdded: time }] },
    status: { conditions: [{ type: "Ready", status: "Unknown", ...times }] },
  });
  await cluster.advance("4s");
  const { spec } = await cluster.client.get(Node, { name: "a" });
  expect(spec.taints).toMatchObject([
    { key, effect: "NoSchedule" },
    { key, effect: "NoExecute", timeAdded: "2026-01-01T00:00:05Z" },
  ]);
});

test("healthy nodes cause no writes", async () => {
  await start();
  await add(names(20), { labels: { "kubernetes.io/os": "linux" } });
  await cluster.advance("30s");
  const before = await cluster.client.list(Node);
  await cluster.advance("10m");
  const after = await cluster.client.list(Node);
  expect(after.items.map(({ metadata }) => metadata.resourceVersion)).toEqual(
    before.items.map(({ metadata }) => metadata.resourceVersion),
  );
});

test.each([
  { name: "by default", beat: 10, period: 5, grace: 50 },
  { name: "fast", beat: 4, period: 2, grace: 20 },
  { name: "medium", beat: 20, period: 5, grace: 120 },
  { name: "slow", beat: 60, period: 5, grace: 300 },
])(
  "$name: a node is given up that is silent for longer than $grace s, and no other",
  async ({ beat, period, grace }) => {
    const settings = { nodeMonitorPeriodMs: period * 1000, nodeMonitorGracePeriodMs: grace * 1000 };
    await start(settings, beat * 1000);
    await add(["a", "b"]);
    await cluster.advance(`${10 * beat}s`);
    machines.fallSilent("a");
    // The last sign of life may have been seen a period late, and is missed a period late.
    await cluster.advance(`${grace - beat}s`);
    expect(await givenUp()).toEqual([]);
    await cluster.advance(`${beat + 2 * period}s`);
    expect(await givenUp()).toEqual(["a"]);
  },
);

test("a node without status is kept by its lease alone", async () => {
  await start();
  await add(["a"], { isNew: true });
  await add(["b"]);
  machines.speakAgain("a");
  await cluster.advance("10m");
  expect(await readyOf("a")).toBeUndefined();
  machines.fallSilent("a");
  await cluster.advance("80s");
  expect(await readyOf("a")).toMatchObject({ reason: "NodeStatusNeverUpdated" });
});
