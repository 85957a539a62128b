import { afterEach, beforeEach, expect, test } from "vitest";
import { Node } from "../api/core/v1/node/node.ts";
import { nodeCondition } from "../api/core/v1/node/node-state.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { isPodReady } from "../api/core/v1/pod/pod-state.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { addPod, type Kubelets, kubelets, taintsOf } from "./nodes.test-support.ts";
import { type RunningCluster, runningOn } from "./running.test-support.ts";

let cluster: RunningCluster;
let machines: Kubelets;
beforeEach(async () => {
  machines = kubelets();
  const whole = await startCluster({ clock: "virtual", namespace: "default", nodes: 0 });
  cluster = await runningOn(whole, machines);
  await machines.add(cluster.client, ["a", "b"]);
  await addPod(cluster.client, "p", { node: "a" });
  await cluster.advance("60s");
});
afterEach(() => cluster.end());

const user = "node-controller";
const failing = (verb: string, resource: string, times: number) =>
  cluster.faults.add({ calls: { user, verb, resource }, times, fault: { type: "fail" } });
/** The last sign of life of a node was seen 60 s after the start, so that it is lost 115 s after it. */
async function silentUntilLost(): Promise<void> {
  machines.fallSilent("a");
  await cluster.advance("51s");
}
const readyOf = async (name: string) =>
  nodeCondition(await cluster.client.get(Node, { name }), "Ready")?.status;
const isGoing = async (): Promise<boolean> =>
  (await cluster.client.get(Pod, { name: "p" })).metadata.deletionTimestamp !== undefined;
const given = ["unreachable:NoExecute", "unreachable:NoSchedule"];

test("writing the Unknown status of a node is retried five times at once", async () => {
  await silentUntilLost();
  failing("update", "nodes/status", 5);
  await cluster.advance("5s");
  expect(await readyOf("a")).toBe("Unknown");
  expect(await taintsOf(cluster.client, "a")).toEqual(given);
});

test("a status that cannot be written six times is written in the next pass", async () => {
  await silentUntilLost();
  failing("update", "nodes/status", 6);
  await cluster.advance("5s");
  expect(await readyOf("a")).toBe("True");
  expect(await taintsOf(cluster.client, "a")).toEqual([]);
  await cluster.advance("5s");
  expect(await readyOf("a")).toBe("Unknown");
  expect(await taintsOf(cluster.client, "a")).toEqual(given);
});

test("a pod that could not be marked as not ready is marked in the next pass", async () => {
  await silentUntilLost();
  failing("update", "pods/status", 2);
  await cluster.advance("5s");
  const isReady = async () => isPodReady(await cluster.client.get(Pod, { name: "p" }));
  expect(await readyOf("a")).toBe("Unknown");
  expect(await isReady()).toBe(true);
  await cluster.advance("5s");
  expect(await isReady()).toBe(true);
  await cluster.advance("5s");
  expect(await isReady()).toBe(false);
});

test("a taint that could not be added is added when the node is processed again", async () => {
  await silentUntilLost();
  failing("patch", "nodes", 3);
  await cluster.advance("30s");
  expect(await taintsOf(cluster.client, "a")).toEqual(given);
});

test.each(["get", "delete"])("an eviction is not lost because a %s fails", async (verb) => {
  const taints = [{ key: "gone", effect: "NoExecute" as const }];
  failing(verb, "pods", 8);
  await cluster.client.patch(Node, { name: "a" }, { merge: { spec: { taints } } });
  await cluster.advance("5s");
  expect(await isGoing()).toBe(true);
});

test("a failed eviction is not retried once its taint is gone", async () => {
  const end = failing("delete", "pods", 1000);
  const taints = [{ key: "gone", effect: "NoExecute" as const }];
  await cluster.client.patch(Node, { name: "a" }, { merge: { spec: { taints } } });
  await cluster.advance("5s");
  await cluster.client.patch(Node, { name: "a" }, { merge: { spec: { taints: null } } });
  await cluster.settled();
  end();
  await cluster.advance("10m");
  expect(await isGoing()).toBe(false);
});

test("a pod whose collection failed is collected in the next pass", async () => {
  const calls = { user: "pod-garbage-collector", resource: "pods/status" };
  cluster.faults.add({ calls, times: 1, fault: { type: "fail" } });
  const spec = { containers: [{ name: "c", image: "app:1" }], schedulerName: "nobody" };
  const metadata = { name: "nowhere", finalizers: ["example.com/hold"] };
  await cluster.client.create(Pod, { metadata, spec });
  await cluster.client.delete(Pod, { name: "nowhere" });
  const phase = async () => (await cluster.client.get(Pod, { name: "nowhere" })).status.phase;
  await cluster.advance("20s");
  expect(await phase()).toBe("Pending");
  await cluster.advance("20s");
  expect(await phase()).toBe("Failed");
});

test("after a crash the time of tolerations starts anew, and pods are evicted", async () => {
  machines.fallSilent("a");
  await cluster.advance("200s");
  cluster.faults.crash("kube-controller-manager");
  await cluster.advance("299s");
  expect(await taintsOf(cluster.client, "a")).toEqual(given);
  expect(await isGoing()).toBe(false);
  await cluster.advance("10s");
  expect(await isGoing()).toBe(true);
});
