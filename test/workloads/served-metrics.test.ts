import { expect, onTestFinished, test } from "vitest";
import { HorizontalPodAutoscaler } from "../../src/api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { MetricSpec, MetricStatus } from "../../src/api/autoscaling/v2/metric.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { ReplicationController } from "../../src/api/core/v1/replication-controller.ts";
import {
  addService,
  aggregatingServer,
  apiServices,
  extensionServer,
  json,
  registration,
} from "../../src/apiserver/http/extension-server.test-support.ts";
import { must } from "../../src/apiserver/http/kubelet.test-support.ts";
import { admin, wallClock } from "../../src/apiserver/in-process.test-support.ts";
import type { ApiServer } from "../../src/apiserver/server.ts";
import { SeededRandom } from "../../src/base/random.ts";
import { createClient } from "../../src/client/client.ts";
import { Scale } from "../../src/client/subresource-kinds.ts";
import { inProcessTransport } from "../../src/cluster/in-process/in-process-transport.ts";
import { createManager } from "../../src/controller-runtime/manager/manager.ts";
import {
  autoscaler,
  conditionsOf,
  web,
} from "../../src/controllers/horizontalpodautoscaler/autoscaled-cluster.test-support.ts";
import { horizontalPodAutoscalerController } from "../../src/controllers/horizontalpodautoscaler/horizontal-pod-autoscaler-controller.ts";
import { eventually } from "../eventually.ts";

/** An autoscaler on real time, which reads its metrics often. */
const settings = {
  concurrency: 1,
  periodMs: 50,
  downscaleStabilizationMs: 0,
  tolerance: 0.1,
  cpuInitializationMs: 300_000,
  initialReadinessDelayMs: 30_000,
};

/** The values of a metrics API, by what follows its version in the path. */
type Served = Readonly<Record<string, readonly object[]>>;

/** Serves an API of metrics behind the aggregator; returns the requests for values that it gets. */
async function serveMetrics(
  server: ApiServer,
  { group, version }: { readonly group: string; readonly version: string },
  served: Served,
): Promise<readonly string[]> {
  const root = `/apis/${group}/${version}`;
  const asked: string[] = [];
  const port = await extensionServer(({ url = "" }, response) => {
    const path = decodeURIComponent(url.replace(/\?.*/, ""));
    const items = served[path.slice(root.length + 1)];
    if (items !== undefined) asked.push(decodeURIComponent(url.slice(root.length + 1)));
    if (path === root)
      json(response, {
        kind: "APIResourceList",
        apiVersion: "v1",
        groupVersion: `${group}/${version}`,
        resources: [],
      });
    else if (items) json(response, { kind: "MetricValueList", metadata: {}, items });
    else json(response, { kind: "Status", status: "Failure", code: 404 }, 404);
  });
  await addService(server, port);
  const metadata = { name: `${version}.${group}` };
  await must(server, "POST", apiServices, { ...registration(port, { group, version }), metadata });
  return asked;
}

/** A server with two pods of a replication controller that are ready, and an autoscaler for them. */
async function scaledWorld(group: string, version: string, served: Served) {
  const server = await aggregatingServer();
  const transport = inProcessTransport(server.handle, admin);
  const client = createClient(transport, { clock: wallClock, namespace: "default" });
  const asked = await serveMetrics(server, { group, version }, served);
  const { spec } = web({}, 2);
  const selector = { app: "web" };
  const controller = { metadata: { name: "web" }, spec: { ...spec, selector } };
  await client.create(ReplicationController, controller);
  const status = { replicas: 2 };
  await client.patch(
    ReplicationController,
    { name: "web" },
    { merge: { status } },
    { subresource: "status" },
  );
  for (const name of ["a", "b"]) {
    await client.create(Pod, { ...spec.template, metadata: { name, labels: selector } });
    const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } as const;
    await client.patch(Pod, { name }, { merge: { status: running } }, { subresource: "status" });
  }
  const stop = new AbortController();
  const manager = createManager({ transport, clock: wallClock, random: new SeededRandom(1) });
  manager.add(horizontalPodAutoscalerController(settings));
  const running = manager.run({ signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return { client, asked };
}

const custom = "custom.metrics.k8s.io";
const external = "external.metrics.k8s.io";
const at = new Date().toISOString();

interface Row {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly metric: MetricSpec;
  readonly served: Served;
  /** The request by which the values are read. */
  readonly asked: string;
  readonly replicas: number;
  /** What the status says of the metric. */
  readonly current: MetricStatus;
}

const podValue = (name: string, value: string) => ({
  describedObject: { kind: "Pod", namespace: "default", name, apiVersion: "/v1" },
  timestamp: at,
  value,
});
const requests = { name: "requests", selector: { matchLabels: { verb: "GET" } } };
const service = { apiVersion: "v1", kind: "Service", name: "main" };
const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
const queue = { name: "queue", selector: { matchLabels: { q: "mail" } } };

const podRow = (version: string, values: Served[string]): Row => ({
  name: `a metric of pods, ${version}`,
  group: custom,
  version,
  metric: {
    type: "Pods",
    pods: { metric: requests, target: { type: "AverageValue", averageValue: "10" } },
  },
  served: { "namespaces/default/pods/*/requests": values },
  asked: "namespaces/default/pods/*/requests?labelSelector=app=web&metricLabelSelector=verb=GET",
  replicas: 3,
  current: { type: "Pods", pods: { metric: requests, current: { averageValue: "15" } } },
});

test.each<Row>([
  podRow("v1beta1", [
    { ...podValue("a", "20"), metricName: "requests", window: 30 },
    { ...podValue("b", "10"), metricName: "requests", window: 30 },
  ]),
  podRow("v1beta2", [
    { ...podValue("a", "20"), metric: { name: "requests" }, windowSeconds: 30 },
    { ...podValue("b", "10"), metric: { name: "requests" }, windowSeconds: 30 },
  ]),
  {
    name: "a metric of an object",
    group: custom,
    version: "v1beta2",
    metric: {
      type: "Object",
      object: {
        describedObject: ingress,
        metric: requests,
        target: { type: "Value", value: "2k" },
      },
    },
    served: {
      "namespaces/default/ingresses.networking.k8s.io/main/requests": [
        { describedObject: ingress, metric: { name: "requests" }, timestamp: at, value: "3k" },
      ],
    },
    asked:
      "namespaces/default/ingresses.networking.k8s.io/main/requests?metricLabelSelector=verb=GET",
    replicas: 3,
    current: {
      type: "Object",
      object: { describedObject: ingress, metric: requests, current: { value: "3k" } },
    },
  },
  {
    name: "a metric of an object that its pods share",
    group: custom,
    version: "v1beta1",
    metric: {
      type: "Object",
      object: {
        describedObject: service,
        metric: requests,
        target: { type: "AverageValue", averageValue: "100" },
      },
    },
    served: {
      "namespaces/default/services/main/requests": [
        { describedObject: service, metricName: "requests", timestamp: at, value: "250" },
      ],
    },
    asked: "namespaces/default/services/main/requests?metricLabelSelector=verb=GET",
    replicas: 3,
    current: {
      type: "Object",
      object: { describedObject: service, metric: requests, current: { averageValue: "125" } },
    },
  },
  {
    name: "a metric of the namespace",
    group: custom,
    version: "v1beta1",
    metric: {
      type: "Object",
      object: {
        describedObject: { kind: "Namespace", name: "other", apiVersion: "v1" },
        metric: { name: "tenants" },
        target: { type: "Value", value: "10" },
      },
    },
    served: {
      "namespaces/default/metrics/tenants": [
        { describedObject: {}, metricName: "tenants", timestamp: at, value: "15" },
      ],
    },
    asked: "namespaces/default/metrics/tenants",
    replicas: 3,
    current: {
      type: "Object",
      object: {
        describedObject: { kind: "Namespace", name: "other", apiVersion: "v1" },
        metric: { name: "tenants" },
        current: { value: "15" },
      },
    },
  },
  {
    name: "the sum of an external metric",
    group: external,
    version: "v1beta1",
    metric: {
      type: "External",
      external: { metric: queue, target: { type: "Value", value: "40" } },
    },
    served: {
      "namespaces/default/queue": [
        { metricName: "queue", metricLabels: { shard: "1" }, timestamp: at, value: "30" },
        { metricName: "queue", metricLabels: { shard: "2" }, timestamp: at, value: "30" },
      ],
    },
    asked: "namespaces/default/queue?labelSelector=q=mail",
    replicas: 3,
    current: { type: "External", external: { metric: queue, current: { value: "60" } } },
  },
  {
    name: "the share of an external metric",
    group: external,
    version: "v1beta1",
    metric: {
      type: "External",
      external: { metric: queue, target: { type: "AverageValue", averageValue: "40" } },
    },
    served: {
      "namespaces/default/queue": [
        { metricName: "queue", metricLabels: {}, timestamp: at, value: "101" },
      ],
    },
    asked: "namespaces/default/queue?labelSelector=q=mail",
    replicas: 3,
    current: {
      type: "External",
      external: { metric: queue, current: { averageValue: "50500m" } },
    },
  },
])(
  "horizontal-pod-autoscaler-controller: scales by $name, which another server serves",
  async (row) => {
    const { client, asked } = await scaledWorld(row.group, row.version, row.served);
    const scaleTargetRef = { apiVersion: "v1", kind: "ReplicationController", name: "web" };
    const metrics = [row.metric];
    await client.create(HorizontalPodAutoscaler, autoscaler({ scaleTargetRef, metrics }));
    const { status } = await eventually(async () => {
      const found = await client.get(HorizontalPodAutoscaler, { name: "web" });
      if (!found.status.lastScaleTime) throw new Error((await conditionsOf({ client })).join("\n"));
      return found;
    });
    expect(asked[0]).toBe(row.asked);
    expect(status.currentMetrics).toEqual([row.current]);
    const scale = client.subresource(ReplicationController, { name: "web" }, "scale");
    expect((await scale.get(Scale)).spec.replicas).toBe(row.replicas);
  },
);
