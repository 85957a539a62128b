import { afterAll, beforeAll, expect, test } from "vitest";
import { ConfigMap, Deployment, HorizontalPodAutoscaler, Pod, Service } from "wherry/api";
import { apiServer } from "wherry/apiserver";
import { type Cluster, startCluster } from "wherry/testing";
import { customMetrics, externalMetricsVersion } from "./custom-metrics.ts";
import { annotatedMetrics, annotation, externalMetrics } from "./metrics-provider.ts";

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ clock: "virtual", nodes: 1 });
  const { client } = cluster;
  const provider = annotatedMetrics(client);
  const versions = [...customMetrics(client, provider), externalMetricsVersion(client, provider)];
  await cluster.run([apiServer({ name: "custom-metrics", versions })]);
  const labels = { app: "web" };
  await client.create(Deployment, {
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { [annotation("requests")]: "15" } },
        spec: { containers: [{ name: "web", image: "web:1" }] },
      },
    },
  });
  await client.create(Service, {
    metadata: { name: "web", annotations: { [annotation("requests")]: "100" } },
    spec: { ports: [{ port: 80 }] },
  });
  await client.create(ConfigMap, {
    metadata: { name: externalMetrics },
    data: { "queue_shard.1": "30", "queue_shard.2": "40" },
  });
  await cluster.settled();
});
afterAll(() => cluster.close());

test("an autoscaler scales by metrics of pods and objects, and by external ones", async () => {
  const { client } = cluster;
  const requests = { name: "requests" };
  const queue = { name: "queue" };
  const web = { apiVersion: "v1", kind: "Service", name: "web" };
  const average = (averageValue: string) => ({ type: "AverageValue", averageValue }) as const;
  await client.create(HorizontalPodAutoscaler, {
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [
        { type: "Pods", pods: { metric: requests, target: average("15") } },
        {
          type: "Object",
          object: { describedObject: web, metric: requests, target: average("20") },
        },
        { type: "External", external: { metric: queue, target: average("20") } },
      ],
    },
  });
  await cluster.advance("45s");
  const { status } = await client.get(HorizontalPodAutoscaler, { name: "web" });
  // 100 requests of the service, 20 for each replica; the other metrics want 2 and 4.
  expect(status.desiredReplicas).toBe(5);
  expect(status.currentMetrics).toEqual([
    { type: "Pods", pods: { metric: requests, current: { averageValue: "15" } } },
    {
      type: "Object",
      object: { describedObject: web, metric: requests, current: { averageValue: "20" } },
    },
    { type: "External", external: { metric: queue, current: { averageValue: "14" } } },
  ]);
  const { spec } = await client.get(Deployment, { name: "web" });
  expect(spec.replicas).toBe(5);
});

test("the API responds as adapters do", async () => {
  const { client } = cluster;
  const get = async (path: string) =>
    (await client.raw({ method: "GET", path: `/apis/${path}` })).value();
  const pods = await client.list(Pod, { labelSelector: { app: "web" } });
  const [
    {
      metadata: { name = "" },
    } = { metadata: {} },
  ] = pods.items;
  expect(await get("custom.metrics.k8s.io/v1beta1")).toMatchObject({
    resources: [
      { name: "pods/requests", namespaced: true, kind: "MetricValueList", verbs: ["get"] },
      { name: "services/requests" },
      { name: "namespaces/tenants", namespaced: false },
    ],
  });
  const one = `custom.metrics.k8s.io/v1beta1/namespaces/default/pods/${name}/requests`;
  expect(await get(one)).toEqual({
    kind: "MetricValueList",
    apiVersion: "custom.metrics.k8s.io/v1beta1",
    metadata: {},
    items: [
      {
        describedObject: { kind: "Pod", namespace: "default", name, apiVersion: "v1" },
        metricName: "requests",
        selector: null,
        timestamp: new Date(cluster.clock.now()).toISOString().replace(".000", ""),
        value: "15",
      },
    ],
  });
  // A metric that discovery does not show is served as well.
  const all =
    "custom.metrics.k8s.io/v1beta2/namespaces/default/pods/%2A/other?labelSelector=app%3Dweb";
  const [path = "", query = ""] = all.split("?");
  const { value } = await client.raw({
    method: "GET",
    path: `/apis/${path}`,
    query: Object.fromEntries(new URLSearchParams(query)),
  });
  expect(await value()).toMatchObject({ kind: "MetricValueList", items: [] });
  expect(
    await get(`custom.metrics.k8s.io/v1beta2/namespaces/default/pods/${name}/other`),
  ).toMatchObject({
    code: 404,
    message: `the server could not find the metric other for pods ${name}`,
  });
});
