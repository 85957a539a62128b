import { expect, test } from "vitest";
import type { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { clusterWithNodes, type NodesCluster } from "../../nodes.test-support.ts";
import { NodeUse } from "../node-use.ts";
import { refuseResize } from "./resize.ts";

const cpu = (amount: string) => ({ requests: { cpu: amount }, limits: { cpu: amount } });

async function resize(cluster: NodesCluster, name: string, amount: string): Promise<void> {
  const spec = { containers: [{ name: "web", resources: cpu(amount) }] };
  await cluster.client.patch(
    Pod,
    { name },
    { strategic: { spec } as never },
    { subresource: "resize" },
  );
  await cluster.settled();
}

const pending = async (cluster: NodesCluster, name: string) => {
  const { status } = await cluster.pod(name);
  const { reason, message, observedGeneration } =
    status.conditions?.find(({ type }) => type === "PodResizePending") ?? {};
  return [reason, message, observedGeneration];
};

test("a resize of a pod takes effect without a restart", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "web", container: { resources: cpu("1") } });
  await resize(cluster, "web", "2");
  const { status } = await cluster.pod("web");
  expect(status).toMatchObject({
    observedGeneration: 2,
    allocatedResources: { cpu: "2" },
    resources: cpu("2"),
    containerStatuses: [
      { restartCount: 0, allocatedResources: { cpu: "2" }, resources: cpu("2"), ready: true },
    ],
  });
  expect(status.conditions?.map(({ type }) => type)).not.toContain("PodResizeInProgress");
  const told =
    '{"containers":[{"name":"web","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"2"}}}],"generation":2}';
  expect((await cluster.eventsOf("web")).slice(-2)).toEqual([
    `ResizeStarted: Pod resize started: ${told}`,
    `ResizeCompleted: Pod resize completed: ${told}`,
  ]);
  await cluster.end();
});

test("a container with a restart resize policy is restarted for it", async () => {
  const cluster = await clusterWithNodes();
  const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
  await cluster.run({ name: "web", container: { resources: cpu("1"), resizePolicy } });
  await resize(cluster, "web", "2");
  expect((await cluster.pod("web")).status.containerStatuses).toMatchObject([
    { restartCount: 1, resources: cpu("2") },
  ]);
  expect(await cluster.eventsOf("web")).toContain("Killing: Container web resize requires restart");
  await cluster.end();
});

test("refuseResize: a resize beyond the node's capacity is infeasible", () => {
  const node = { status: { allocatable: { cpu: "4", pods: "10" } } } as unknown as Node;
  const pod = (amount: string) =>
    ({ spec: { containers: [{ name: "web", resources: cpu(amount) }] } }) as unknown as Pod;
  const used = new NodeUse();
  expect(refuseResize(pod("8"), node, used)).toEqual({
    reason: "Infeasible",
    message: "Node didn't have enough capacity: cpu, requested: 8000, capacity: 4000",
  });
  used.take("other", pod("2").spec);
  expect(refuseResize(pod("3"), node, used)?.reason).toBe("Deferred");
  used.take("other", pod("1").spec);
  expect(refuseResize(pod("3"), node, used)).toBeUndefined();
});

test("a resize that does not fit now is deferred", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "other", container: { resources: cpu("2") } });
  await cluster.run({ name: "web", container: { resources: cpu("1") } });
  await resize(cluster, "web", "3");
  expect(await pending(cluster, "web")).toEqual([
    "Deferred",
    "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000",
    2,
  ]);
  expect((await cluster.pod("web")).status.containerStatuses).toMatchObject([
    { allocatedResources: { cpu: "1" }, resources: cpu("1") },
  ]);
  await cluster.restartNodes();
  expect((await pending(cluster, "web"))[0]).toBe("Deferred");
  await cluster.client.delete(Pod, { name: "other" });
  await cluster.settled();
  expect(await pending(cluster, "web")).toEqual([undefined, undefined, undefined]);
  expect((await cluster.pod("web")).status.containerStatuses).toMatchObject([
    { resources: cpu("3"), restartCount: 0 },
  ]);
  await cluster.end();
});
