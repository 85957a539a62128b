import { expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { NodeMetrics } from "../../api/metrics/v1beta1/node-metrics.ts";
import { PodMetrics } from "../../api/metrics/v1beta1/pod-metrics.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { startCluster } from "../../testing/start-cluster.ts";

const web = (name: string, annotations: Readonly<Record<string, string>>) => ({
  metadata: { name, labels: { app: name }, annotations },
  spec: {
    containers: [
      { name: "app", image: "app:1" },
      { name: "side", image: "side:1" },
    ],
  },
});

async function clusterWithPods(): Promise<Cluster> {
  const cluster = await startCluster({ clock: "virtual", nodes: 2, namespace: "default" });
  const { client } = cluster;
  await client.create(
    Pod,
    web("a", {
      "wherry.dev/memory": "64Mi",
      "app.wherry.dev/cpu": "250m",
      "side.wherry.dev/cpu": "1",
    }),
  );
  await client.create(Pod, web("b", { "wherry.dev/cpu": "2", "wherry.dev/memory": "1500" }));
  await cluster.advance("60s");
  return cluster;
}

test("metrics.k8s.io: pods show what their containers use, first as the kubelet says, then between samples", async () => {
  await using cluster = await clusterWithPods();
  const { client } = cluster;
  const first = await client.get(PodMetrics, { name: "a" });
  expect(first).toEqual({
    kind: "PodMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: {
      name: "a",
      namespace: "default",
      creationTimestamp: "2026-01-01T00:01:00Z",
      labels: { app: "a" },
    },
    timestamp: "2026-01-01T00:01:00Z",
    window: "10s",
    containers: [
      { name: "app", usage: { cpu: "250m", memory: "64Mi" } },
      { name: "side", usage: { cpu: "1", memory: "64Mi" } },
    ],
  });
  await cluster.advance("14s");
  expect((await client.get(PodMetrics, { name: "a" })).timestamp).toBe("2026-01-01T00:01:00Z");
  await cluster.advance("1s");
  const next = await client.get(PodMetrics, { name: "a" });
  expect(next).toMatchObject({ timestamp: "2026-01-01T00:01:15Z", window: "15s" });
  expect(next.containers).toEqual(first.containers);
});

test("metrics.k8s.io: lists are selected by labels and fields, and nodes add up their pods", async () => {
  await using cluster = await clusterWithPods();
  const { client } = cluster;
  const names = async (options: object) =>
    (await client.list(PodMetrics, options)).items.map(({ metadata }) => metadata.name);
  expect(await names({})).toEqual(["a", "b"]);
  expect(await names({ labelSelector: "app=b" })).toEqual(["b"]);
  expect(await names({ fieldSelector: "metadata.name=a" })).toEqual(["a"]);
  expect(await names({ namespace: "kube-system" })).toEqual([]);
  const { items } = await client.list(NodeMetrics);
  const millis = items.map(({ usage }) => Number.parseInt(usage?.cpu ?? "", 10));
  expect(items.map(({ metadata }) => metadata.labels?.["kubernetes.io/hostname"])).toHaveLength(2);
  expect(millis.reduce((a, b) => a + (b < 100 ? b * 1000 : b), 0)).toBe(5250);
});

test("metrics.k8s.io: what is not found is told in metrics-server's words", async () => {
  await using cluster = await clusterWithPods();
  const { client } = cluster;
  await client.create(Pod, web("new", { "wherry.dev/start-delay": "1h" }));
  await cluster.advance("1s");
  await expect(client.get(PodMetrics, { name: "new" })).rejects.toThrow(
    'podmetrics.metrics.k8s.io "default/new" not found',
  );
  await expect(client.get(PodMetrics, { name: "none" })).rejects.toThrow('pods "none" not found');
  await expect(client.get(NodeMetrics, { name: "none" })).rejects.toThrow('nodes "none" not found');
});

test("metrics.k8s.io: a table has the columns of metrics-server", async () => {
  await using cluster = await clusterWithPods();
  const response = await cluster.client.raw({
    method: "GET",
    path: "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/a",
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });
  const table = (await response.value()) as {
    columnDefinitions: { name: string; format: string }[];
    rows: { cells: unknown[] }[];
  };
  expect(table.columnDefinitions.map(({ name, format }) => [name, format])).toEqual([
    ["Name", "name"],
    ["cpu", "quantity"],
    ["memory", "quantity"],
    ["Window", "duration"],
  ]);
  expect(table.rows.map(({ cells }) => cells)).toEqual([["a", "1250m", "128Mi", "10s"]]);
});

test("metrics.k8s.io: who may view a namespace may read the metrics of its pods, but not those of nodes", async () => {
  await using cluster = await clusterWithPods();
  const { RoleBinding } = await import("../../api/rbac/v1/role-binding.ts");
  await cluster.client.create(RoleBinding, {
    metadata: { name: "view" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
  });
  const ann = cluster.as("ann");
  expect((await ann.list(PodMetrics, { namespace: "default" })).items).toHaveLength(2);
  await expect(ann.list(NodeMetrics)).rejects.toThrow(
    'nodes.metrics.k8s.io is forbidden: User "ann" cannot list resource "nodes" in API group "metrics.k8s.io" at the cluster scope',
  );
});

test("metrics.k8s.io: a node that cannot be reached is left out, and one whose heartbeats ended is not asked", async () => {
  await using cluster = await clusterWithPods();
  cluster.faults.pause("kubelet");
  await cluster.advance("2m");
  expect((await cluster.client.list(NodeMetrics)).items).toEqual([]);
});

test("metrics.k8s.io: the API is registered so that a server of the user's can take its place", async () => {
  await using cluster = await startCluster({ clock: "virtual", nodes: 0 });
  const { APIService } = await import("../../api/apiregistration/v1/api-service.ts");
  const name = "v1beta1.metrics.k8s.io";
  const service = await cluster.client.get(APIService, { name });
  expect(service.metadata.labels).toBeUndefined();
  expect(service.spec).toEqual({
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
  });
  expect(service.status?.conditions?.[0]).toMatchObject({ type: "Available", reason: "Local" });
});
