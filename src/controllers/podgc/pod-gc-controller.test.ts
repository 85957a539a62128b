import { afterEach, expect, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { addPod } from "../nodes.test-support.ts";
import { type RunningCluster, runningCluster } from "../running.test-support.ts";
import { podGcController } from "./pod-gc-controller.ts";

let cluster: RunningCluster;
afterEach(() => cluster.end());

async function start(terminatedPodThreshold = 0): Promise<void> {
  cluster = await runningCluster(podGcController({ terminatedPodThreshold }));
}
const spec = { containers: [{ name: "c", image: "app:1" }] };
const held = ["example.com/hold"];
async function podNames({ client }: Cluster = cluster): Promise<string[]> {
  const { items } = await client.list(Pod, { namespace: "default" });
  return items.map(({ metadata }) => metadata.name ?? "").sort();
}
const get = (name: string) => cluster.client.get(Pod, { name });
const setStatus = (name: string, status: object) =>
  cluster.client.patch(Pod, { name }, { merge: { status } }, { subresource: "status" });

test("a terminating pod without a node is deleted in the next pass", async () => {
  await start();
  await cluster.advance("5s");
  const metadata = { name: "a", finalizers: held };
  await cluster.client.create(Pod, { metadata, spec });
  await cluster.client.create(Pod, { metadata: { name: "stays" }, spec });
  await cluster.client.delete(Pod, { name: "a" });
  await cluster.advance("14s");
  expect((await get("a")).status.phase).toBe("Pending");
  await cluster.advance("1s");
  const { status, metadata: now } = await get("a");
  expect(status).toMatchObject({ phase: "Failed", observedGeneration: now.generation });
  expect(status.conditions).toBeUndefined();
  expect(now.deletionGracePeriodSeconds).toBe(0);

  // Whoever holds it is waited for in peace.
  const { resourceVersion } = now;
  await cluster.advance("10m");
  expect((await get("a")).metadata.resourceVersion).toBe(resourceVersion);
  await cluster.client.patch(Pod, { name: "a" }, { merge: { metadata: { finalizers: null } } });
  await cluster.settled();
  expect(await podNames()).toEqual(["stays"]);
});

test("pods of a deleted node are deleted after a quarantine, with a condition", async () => {
  await start();
  await cluster.client.create(Node, { metadata: { name: "n" } });
  await addPod(cluster.client, "a", { node: "n" });
  const metadata = { name: "held", finalizers: held };
  await cluster.client.create(Pod, { metadata, spec: { ...spec, nodeName: "n" } });
  await cluster.advance("65s");
  await cluster.client.delete(Node, { name: "n" });
  // It is missed at 80 s, and gone at 120 s.
  await cluster.advance("54s");
  expect(await podNames()).toEqual(["a", "held"]);
  await cluster.advance("1s");
  expect(await podNames()).toEqual(["held"]);
  const { status } = await get("held");
  expect(status.phase).toBe("Failed");
  expect(status.conditions).toContainEqual(
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
      observedGeneration: 1,
    }),
  );
});

test("a node that appears in time keeps its pods, and a later absence starts a new quarantine", async () => {
  await start();
  await addPod(cluster.client, "a", { node: "late" });
  await cluster.advance("50s");
  await cluster.client.create(Node, { metadata: { name: "late" } });
  await cluster.advance("10m");
  expect(await podNames()).toEqual(["a"]);
  await cluster.client.delete(Node, { name: "late" });
  // At 650 s; it is missed at 660 s.
  await cluster.advance("49s");
  expect(await podNames()).toEqual(["a"]);
  await cluster.advance("1s");
  expect(await podNames()).toEqual([]);
});

test("terminating pods on an unready node that is out of service are deleted", async () => {
  await start();
  await cluster.client.create(Node, { metadata: { name: "n" } });
  for (const name of ["a", "b"]) await addPod(cluster.client, name, { node: "n" });
  await cluster.client.delete(Pod, { name: "a" });
  await cluster.advance("60s");
  expect(await podNames()).toEqual(["a", "b"]);
  const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" as const }];
  await cluster.client.patch(Node, { name: "n" }, { merge: { spec: { taints } } });
  await cluster.advance("20s");
  expect(await podNames()).toEqual(["b"]);
  await cluster.client.delete(Pod, { name: "b" });
  await cluster.advance("20s");
  expect(await podNames()).toEqual([]);
});

test("terminating pods stay on a ready node, whatever its taints", async () => {
  await start();
  const times = { lastHeartbeatTime: "2026-01-01T00:00:00Z", lastTransitionTime: null as never };
  await cluster.client.create(Node, {
    metadata: { name: "n" },
    spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] },
    status: { conditions: [{ type: "Ready", status: "True", ...times }] },
  });
  await addPod(cluster.client, "a", { node: "n" });
  await cluster.client.delete(Pod, { name: "a" });
  await cluster.advance("60s");
  expect(await podNames()).toEqual(["a"]);
});

test("the oldest terminated pods are deleted beyond the threshold", async () => {
  await start(2);
  await cluster.client.create(Node, { metadata: { name: "n" } });
  for (const name of ["d", "c", "b", "a"]) {
    await cluster.client.create(Pod, { metadata: { name }, spec: { ...spec, nodeName: "n" } });
    await cluster.advance("1s");
  }
  for (const name of ["a", "b", "c"]) await setStatus(name, { phase: "Succeeded" });
  await cluster.advance("20s");
  expect(await podNames()).toEqual(["a", "b", "d"]);
  await setStatus("d", { phase: "Failed", reason: "Evicted" });
  await cluster.advance("20s");
  expect(await podNames()).toEqual(["a", "b"]);
});

test("without a threshold all terminated pods are kept", async () => {
  await start(0);
  await cluster.client.create(Node, { metadata: { name: "n" } });
  for (const name of ["a", "b"]) {
    await cluster.client.create(Pod, { metadata: { name }, spec: { ...spec, nodeName: "n" } });
    await setStatus(name, { phase: "Failed" });
  }
  await cluster.advance("60s");
  expect(await podNames()).toEqual(["a", "b"]);
});
