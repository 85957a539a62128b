import { expect, test } from "vitest";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { clusterWithNodes, runNodes } from "./nodes.test-support.ts";

const statusOf = async (
  cluster: { readonly pod: (name: string) => Promise<Pod> },
  name: string,
) => {
  const { status, metadata } = await cluster.pod(name);
  return { status, resourceVersion: metadata.resourceVersion };
};

test("restarted kubelets find their pods, which do not change", async () => {
  const cluster = await clusterWithNodes(2);
  await cluster.run({ name: "web" });
  await cluster.run({
    name: "crashed",
    annotations: { "wherry.dev/exit-after": "5s", "wherry.dev/exit-times": "1" },
    container: { readinessProbe: { tcpSocket: { port: 1 } } },
  });
  await cluster.run({
    name: "with-init",
    spec: {
      initContainers: [
        { name: "init", image: "a" },
        { name: "sidecar", image: "b", restartPolicy: "Always" },
      ],
    },
  });
  await cluster.run({
    name: "job",
    spec: { restartPolicy: "Never" },
    container: { command: ["true"] },
  });
  await cluster.advance("1m");
  const names = ["web", "crashed", "with-init", "job"];
  const before = await Promise.all(names.map((name) => statusOf(cluster, name)));
  await cluster.restartNodes();
  await cluster.advance("1m");
  expect(await Promise.all(names.map((name) => statusOf(cluster, name)))).toEqual(before);
  expect(before[1]?.status.containerStatuses).toMatchObject([{ restartCount: 1, ready: true }]);
  const logs = cluster.nodes.kubelets.get("node-1")?.runtime;
  expect((await logs?.listContainers())?.length).toBeGreaterThanOrEqual(5);
  await cluster.run({ name: "later" });
  const addresses = (await cluster.client.list(Pod)).items.map(({ status }) => status.podIP);
  expect(new Set(addresses).size).toBe(addresses.length);
  await cluster.client.delete(Pod, { name: "web" });
  await cluster.client.delete(Pod, { name: "job" });
  await cluster.settled();
  expect((await cluster.client.list(Pod)).items.map(({ metadata }) => metadata.name)).toEqual([
    "crashed",
    "later",
    "with-init",
  ]);
  await cluster.end();
});

test("containers that were due to end during a restart end after it", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "job",
    spec: { restartPolicy: "Never" },
    container: { command: ["sleep", "30"] },
  });
  await cluster.run({ name: "going", annotations: { "wherry.dev/stop-delay": "20s" } });
  await cluster.advance("10s");
  await cluster.client.delete(Pod, { name: "going" });
  await cluster.advance("5s");
  await cluster.restartNodes();
  await cluster.advance("14s");
  expect((await cluster.pod("job")).status.containerStatuses).toMatchObject([
    {
      restartCount: 0,
      state: { terminated: { exitCode: 0, startedAt: "2026-01-01T00:00:00Z" } },
    },
  ]);
  await cluster.advance("10s");
  await expect(cluster.pod("going")).rejects.toMatchObject({ reason: "NotFound" });
  await cluster.end();
});

test("a fork of a cluster runs the same pods independently", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "web" });
  await cluster.advance("10s");
  const fork = await runNodes(cluster.fork());
  expect((await fork.pod("web")).status).toEqual((await cluster.pod("web")).status);
  await fork.client.delete(Pod, { name: "web" });
  await fork.settled();
  await expect(fork.pod("web")).rejects.toMatchObject({ reason: "NotFound" });
  expect((await cluster.pod("web")).status.phase).toBe("Running");
  await fork.end();
  await cluster.end();
});

test("an existing node gets its labels and conditions back, and keeps the rest", async () => {
  const cluster = await clusterWithNodes();
  const { client } = cluster;
  const key = { name: "node-1" };
  await client.patch(Node, key, {
    merge: {
      metadata: { labels: { "kubernetes.io/os": "plan9", mine: "yes" } },
      spec: { unschedulable: true },
    },
  });
  const lost = { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" };
  const change = { strategic: { status: { conditions: [lost] } } as never };
  await client.patch(Node, key, change, { subresource: "status" });
  await cluster.restartNodes();
  const { metadata, spec, status } = await client.get(Node, key);
  expect(metadata.labels).toMatchObject({ "kubernetes.io/os": "linux", mine: "yes" });
  expect(spec.unschedulable).toBe(true);
  expect(status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "True",
    reason: "KubeletReady",
  });
  await cluster.end();
});

test("conditions that another client changed are restored", async () => {
  const cluster = await clusterWithNodes();
  const { client } = cluster;
  await cluster.run({ name: "web" });
  const notReady = {
    strategic: { status: { conditions: [{ type: "Ready", status: "False" }] } } as never,
  };
  await client.patch(Pod, { name: "web" }, notReady, { subresource: "status" });
  await client.patch(Node, { name: "node-1" }, notReady, { subresource: "status" });
  await cluster.advance("10s");
  const readyOf = ({ status }: Pod | Node) =>
    status.conditions?.find(({ type }) => type === "Ready")?.status;
  expect(readyOf(await cluster.pod("web"))).toBe("True");
  expect(readyOf(await client.get(Node, { name: "node-1" }))).toBe("True");
  expect((await cluster.eventsOf("node-1")).at(-1)).toBe(
    "NodeReady: Node node-1 status is now: NodeReady",
  );
  await cluster.end();
});

test("a deleted node is not created again until its kubelet restarts", async () => {
  const cluster = await clusterWithNodes(2);
  await cluster.client.delete(Node, { name: "node-2" });
  await cluster.advance("6m");
  const names = async () =>
    (await cluster.client.list(Node)).items.map(({ metadata }) => metadata.name);
  expect(await names()).toEqual(["node-1"]);
  await cluster.restartNodes();
  expect(await names()).toEqual(["node-1", "node-2"]);
  await cluster.end();
});
