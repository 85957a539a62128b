import { afterEach, expect, test } from "vitest";
import { Node } from "../api/core/v1/node/node.ts";
import { nodeCondition } from "../api/core/v1/node/node-state.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { nodeLifecycleModule } from "./nodelifecycle/node-lifecycle-module.ts";
import { addPod, eventsOf, kubelets, taintsOf } from "./nodes.test-support.ts";
import { podGcModule } from "./podgc/pod-gc-module.ts";
import { partsOf, type RunningCluster, runningCluster } from "./running.test-support.ts";
import { taintEvictionModule } from "./tainteviction/taint-eviction-module.ts";

let cluster: RunningCluster;
afterEach(() => cluster.end());

async function start() {
  const machines = kubelets();
  cluster = await runningCluster(
    machines,
    ...partsOf(nodeLifecycleModule),
    ...partsOf(taintEvictionModule),
    ...partsOf(podGcModule),
  );
  await machines.add(cluster.client, ["a", "b"]);
  await addPod(cluster.client, "lost", { node: "a" });
  const tolerations = [{ operator: "Exists" as const }];
  await addPod(cluster.client, "patient", { node: "a", tolerations });
  await addPod(cluster.client, "well", { node: "b" });
  await cluster.advance("61s");
  return machines;
}
const isGoing = async (name: string): Promise<boolean> =>
  (await cluster.client.get(Pod, { name })).metadata.deletionTimestamp !== undefined;
const names = async (): Promise<string[]> => {
  const { items } = await cluster.client.list(Pod, { namespace: "default" });
  return items.map(({ metadata }) => metadata.name ?? "");
};

test("a failed node is unknown after 50 s, its pods are evicted 300 s later, and deleted with the node", async () => {
  const machines = await start();
  // It was last heard at 60 s, which is seen at 60 s, too.
  machines.fallSilent("a");
  await cluster.advance("49s");
  const ready = async () =>
    nodeCondition(await cluster.client.get(Node, { name: "a" }), "Ready")?.status;
  expect(await ready()).toBe("True");
  await cluster.advance("5s");
  expect(await ready()).toBe("Unknown");
  expect(await taintsOf(cluster.client, "a")).toEqual([
    "unreachable:NoExecute",
    "unreachable:NoSchedule",
  ]);
  await cluster.advance("299s");
  expect(await isGoing("lost")).toBe(false);
  await cluster.advance("2s");
  expect(await isGoing("lost")).toBe(true);
  expect(await isGoing("patient")).toBe(false);
  // Nobody is there to end it, until somebody says that nobody will be.
  await cluster.advance("10m");
  expect(await names()).toEqual(["lost", "patient", "well"]);
  await cluster.client.delete(Node, { name: "a" });
  await cluster.advance("60s");
  expect(await names()).toEqual(["well"]);
  expect(await eventsOf(cluster, "taint-eviction-controller")).toEqual([
    "Normal TaintManagerEviction Pod/lost: Marking for deletion Pod default/lost",
  ]);
});

test("a node that reports again in time keeps its pods", async () => {
  const machines = await start();
  machines.fallSilent("a");
  await cluster.advance("300s");
  machines.speakAgain("a");
  await machines.post(cluster.client, "a", "True");
  await cluster.advance("10m");
  expect(await taintsOf(cluster.client, "a")).toEqual([]);
  expect(await isGoing("lost")).toBe(false);
  expect(await eventsOf(cluster, "taint-eviction-controller")).toEqual([
    "Normal TaintManagerEviction Pod/lost: Cancelling deletion of Pod default/lost",
  ]);
});

test("two runs have the same result, byte by byte", async () => {
  const history = async (): Promise<string> => {
    const machines = await start();
    machines.fallSilent("a");
    await cluster.advance("10m");
    const [nodes, pods] = await Promise.all([cluster.client.list(Node), cluster.client.list(Pod)]);
    return JSON.stringify([nodes, pods, await eventsOf(cluster, "node-controller")]);
  };
  const first = await history();
  await cluster.end();
  expect(await history()).toBe(first);
});
