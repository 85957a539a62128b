import { expect, test } from "vitest";
import { Event } from "../api/core/v1/event/event.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { createClient } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { createManager } from "../controller-runtime/manager/manager.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { clusterWithNodes } from "./nodes.test-support.ts";
import { createSimulatedNodes } from "./simulated/simulated-nodes.ts";

/** A cluster that records the requests of its nodes. */
async function watchedNodes(count: number) {
  const cluster = await startCluster({ clock: "virtual", namespace: "default", seed: 3 });
  const calls: string[] = [];
  let opened = Promise.resolve();
  const watched: Transport = async (request) => {
    if (request.method === "GET") return cluster.transport(request);
    calls.push(`${request.method} ${request.path}`);
    await opened;
    return cluster.transport(request);
  };
  /** Blocks all writes until the returned function is called. */
  const shut = (): (() => void) => {
    let open = (): void => {};
    opened = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  };
  const client = createClient(watched, { clock: cluster.clock, fieldManager: "kubelet" });
  const nodes = createSimulatedNodes({ nodes: count, clientFor: () => client });
  const stop = new AbortController();
  const manager = createManager(cluster);
  manager.add(nodes);
  const running = manager.run({ signal: stop.signal });
  await cluster.settled();
  const end = async (): Promise<void> => {
    stop.abort();
    await cluster.advance("1s");
    await running;
    await cluster.close();
  };
  return { ...cluster, calls, shut, end };
}

const pod = (name: string, node: string, annotations: Record<string, string> = {}) =>
  ({
    metadata: { name, annotations },
    spec: { nodeName: node, containers: [{ name: "web", image: "nginx" }] },
  }) as never;

test("a pod needs one or two status writes to start, and one to end", async () => {
  const cluster = await watchedNodes(1);
  cluster.calls.length = 0;
  await cluster.client.create(Pod, pod("web", "node-1"));
  await cluster.settled();
  const ofPod = () => cluster.calls.filter((call) => call.includes("/pods/"));
  expect(ofPod().length).toBeLessThanOrEqual(2);
  expect(new Set(ofPod())).toEqual(new Set(["PATCH /api/v1/namespaces/default/pods/web/status"]));
  cluster.calls.length = 0;
  await cluster.client.delete(Pod, { name: "web" });
  await cluster.settled();
  expect(ofPod()).toEqual([
    "PATCH /api/v1/namespaces/default/pods/web/status",
    "DELETE /api/v1/namespaces/default/pods/web",
  ]);
  await cluster.end();
});

test("pods that start during the status write of another need one write each", async () => {
  const cluster = await watchedNodes(1);
  cluster.calls.length = 0;
  const names = Array.from({ length: 30 }, (_, i) => `web-${i}`);
  for (const name of names) await cluster.client.create(Pod, pod(name, "node-1"));
  await cluster.settled();
  expect(cluster.calls.filter((call) => call.includes("/pods/"))).toEqual(
    names.map((name) => `PATCH /api/v1/namespaces/default/pods/${name}/status`),
  );
  const { items } = await cluster.client.list(Pod);
  expect(items.map(({ status }) => status.phase)).toEqual(names.map(() => "Running"));
  await cluster.end();
});

test("a node writes several statuses at a time, up to a limit", async () => {
  const cluster = await watchedNodes(1);
  cluster.calls.length = 0;
  const open = cluster.shut();
  const names = Array.from({ length: 15 }, (_, i) => `web-${i}`);
  await Promise.all(names.map((name) => cluster.client.create(Pod, pod(name, "node-1"))));
  await cluster.settled();
  const statuses = () => cluster.calls.filter((call) => call.includes("/pods/"));
  expect(statuses()).toHaveLength(10);
  open();
  await cluster.settled();
  expect(new Set(statuses())).toEqual(
    new Set(names.map((name) => `PATCH /api/v1/namespaces/default/pods/${name}/status`)),
  );
  expect(statuses()).toHaveLength(15);
  await cluster.end();
});

test("a status that changes during its write is written again afterwards", async () => {
  const cluster = await watchedNodes(1);
  cluster.calls.length = 0;
  const open = cluster.shut();
  await cluster.client.create(Pod, pod("web", "node-1", { "wherry.dev/exit-after": "5s" }));
  const statuses = () => cluster.calls.filter((call) => call.includes("/pods/"));
  await cluster.advance("8s");
  expect(statuses()).toHaveLength(1);
  open();
  await cluster.settled();
  expect(statuses()).toHaveLength(2);
  const { status } = await cluster.client.get(Pod, { name: "web" });
  expect(status.containerStatuses).toMatchObject([{ lastState: { terminated: { exitCode: 0 } } }]);
  await cluster.end();
});

test("without changes, only leases are written, one per node every ten seconds", async () => {
  const cluster = await watchedNodes(3);
  for (const [i, node] of ["node-1", "node-2", "node-3"].entries())
    await cluster.client.create(Pod, pod(`web-${i}`, node));
  await cluster.advance("20s");
  cluster.calls.length = 0;
  await cluster.advance("60s");
  const leases = ["node-1", "node-2", "node-3"].map(
    (name) => `PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`,
  );
  expect(cluster.calls.sort()).toEqual(leases.flatMap((lease) => Array(6).fill(lease)).sort());
  await cluster.end();
});

test("the same seed leads to the same history", async () => {
  const history = async (): Promise<string> => {
    const cluster = await watchedNodes(5);
    for (let i = 0; i < 20; i++)
      await cluster.client.create(
        Pod,
        pod(`web-${i}`, `node-${(i % 5) + 1}`, {
          "wherry.dev/start-delay": "2s±2s",
          "wherry.dev/exit-after": "30s±20s",
          "wherry.dev/exit-code": "1",
        }),
      );
    await cluster.advance("5m");
    const pods = await cluster.client.list(Pod);
    const events = await cluster.client.list(Event, { namespace: "default" });
    const { calls } = cluster;
    await cluster.end();
    return JSON.stringify([pods.items, events.items, calls]);
  };
  expect(await history()).toBe(await history());
});

test("repeated events are counted in one event, and too frequent ones are dropped", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "web",
    annotations: { "wherry.dev/readiness-fails": "always" },
    container: { readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: 1 } },
  });
  await cluster.advance("10s");
  const unhealthy = async () =>
    (await cluster.client.list(Event, { namespace: "default" })).items.filter(
      ({ reason }) => reason === "Unhealthy",
    );
  expect(await unhealthy()).toMatchObject([
    {
      count: 11,
      type: "Warning",
      source: { component: "kubelet", host: "node-1" },
      reportingComponent: "kubelet",
      reportingInstance: "node-1",
      involvedObject: { kind: "Pod", name: "web", fieldPath: "spec.containers{web}" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:10Z",
    },
  ]);
  await cluster.advance("10m");
  const [event] = await unhealthy();
  // A burst of 25 for one pod, then one in five minutes; others are counted.
  expect(event?.count).toBeGreaterThan(300);
  await cluster.end();
});
