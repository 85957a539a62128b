import { afterEach, beforeEach, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import type { Transport } from "../../client/transport.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import {
  partsOf,
  type RunningCluster,
  runningCluster,
  runningOn,
} from "../running.test-support.ts";
import { endpointsModule } from "./endpoints-module.ts";
import { addPod, setReady, webLabels } from "./web.test-support.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(...partsOf(endpointsModule));
});
afterEach(() => cluster.end());

const addService = (spec: object = {}, metadata: object = {}) =>
  cluster.client.create(Service, {
    metadata: { name: "web", ...metadata },
    spec: { selector: webLabels, ports: [{ port: 80 }], ...spec },
  } as never);

async function endpoints(): Promise<Endpoints | undefined> {
  await cluster.settled();
  const { items } = await cluster.client.list(Endpoints, { namespace: "default" });
  return items.find(({ metadata }) => metadata.name === "web");
}

test("Endpoints list the addresses of a service's pods, ready or not", async () => {
  await addPod(cluster, { name: "b", ip: "10.1.0.2" });
  await addPod(cluster, { name: "a", ip: "10.1.0.1" });
  await addPod(cluster, { name: "c", ip: "10.1.0.3", ready: false });
  await addService({}, { labels: { team: "blue" } });
  const { metadata, subsets } = (await endpoints()) as Endpoints;
  expect(metadata.labels).toEqual({
    team: "blue",
    "endpoints.kubernetes.io/managed-by": "endpoint-controller",
  });
  const address = (name: string, ip: string) => ({
    ip,
    nodeName: "n1",
    targetRef: { kind: "Pod", namespace: "default", name },
  });
  expect(subsets).toMatchObject([
    {
      addresses: [address("a", "10.1.0.1"), address("b", "10.1.0.2")],
      notReadyAddresses: [address("c", "10.1.0.3")],
      ports: [{ port: 80, protocol: "TCP" }],
    },
  ]);
});

test("an unready pod is listed as not ready, and a terminating pod is not listed", async () => {
  await addPod(cluster, { name: "a" });
  await addService();
  await endpoints();
  await cluster.advance("7s");
  await setReady(cluster, "a", false);
  const told = await endpoints();
  expect(told?.subsets?.[0]).not.toHaveProperty("addresses");
  expect(told?.subsets?.[0]?.notReadyAddresses).toHaveLength(1);
  expect(told?.metadata.annotations).toEqual({
    "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:07Z",
  });
  await cluster.client.delete(Pod, { name: "a" }, { gracePeriodSeconds: 30 });
  expect((await endpoints())?.subsets ?? []).toEqual([]);
});

test("with publishNotReadyAddresses all pods that have not terminated are listed", async () => {
  await addPod(cluster, { name: "a", ready: false });
  await addPod(cluster, { name: "b", ip: "10.1.0.2" });
  await addService({ publishNotReadyAddresses: true });
  await cluster.settled();
  await cluster.client.delete(Pod, { name: "b" }, { gracePeriodSeconds: 30 });
  expect((await endpoints())?.subsets?.[0]?.addresses).toHaveLength(2);
});

test("endpoints of a headless service have hostnames, and may have no ports", async () => {
  await addPod(cluster, { name: "a", spec: { hostname: "one", subdomain: "web" } });
  await addService({ clusterIP: "None", ports: [] });
  const { metadata, subsets } = (await endpoints()) as Endpoints;
  expect(metadata.labels).toHaveProperty("service.kubernetes.io/headless", "");
  expect(subsets).toMatchObject([{ addresses: [{ ip: "10.1.0.1", hostname: "one" }] }]);
  expect(subsets?.[0]).not.toHaveProperty("ports");
});

test("Endpoints are deleted with their service, created again after a deletion, and not written otherwise", async () => {
  await addPod(cluster, { name: "a" });
  await addService();
  expect(await endpoints()).toBeDefined();
  await cluster.client.delete(Endpoints, { name: "web" });
  const again = await endpoints();
  expect(again?.subsets?.[0]?.addresses).toHaveLength(1);
  const change = { metadata: { annotations: { a: "b" } } };
  await cluster.client.patch(Pod, { name: "a" }, { merge: change });
  expect(await endpoints()).toEqual(again);
  await cluster.client.delete(Service, { name: "web" });
  expect(await endpoints()).toBeUndefined();
});

test("services without a selector keep Endpoints that users wrote, until the service is deleted", async () => {
  const subsets = [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 1 }] }];
  await cluster.client.create(Endpoints, { metadata: { name: "web" }, subsets } as never);
  await addService({ selector: null });
  expect((await endpoints())?.subsets).toMatchObject(subsets);
  await cluster.client.delete(Service, { name: "web" });
  expect(await endpoints()).toBeUndefined();
});

test("at the start, Endpoints without a service are deleted, except election records", async () => {
  const fork = cluster.fork();
  await fork.client.create(Endpoints, { metadata: { name: "left" } });
  const annotations = { "control-plane.alpha.kubernetes.io/leader": "{}" };
  await fork.client.create(Endpoints, { metadata: { name: "leader", annotations } });
  await cluster.end();
  cluster = await runningOn(fork, ...partsOf(endpointsModule));
  const { items } = await cluster.client.list(Endpoints, { namespace: "default" });
  const names = items.map(({ metadata }) => metadata.name);
  expect(names).toContain("leader");
  expect(names).not.toContain("left");
});

test("a conflict records an event, and the Endpoints are written after all", async () => {
  await cluster.end();
  const inner = await startCluster({ clock: "virtual", namespace: "default" });
  let isFirst = true;
  const transport: Transport = async (request) => {
    if (isFirst && request.method === "PUT" && request.path.endsWith("/endpoints/web")) {
      isFirst = false;
      const change = { metadata: { labels: { x: "y" } } };
      await inner.client.patch(Endpoints, { name: "web" }, { merge: change });
    }
    return inner.transport(request);
  };
  cluster = await runningOn({ ...inner, transport }, ...partsOf(endpointsModule));
  await addPod(cluster, { name: "a" });
  await addService();
  await endpoints();
  await setReady(cluster, "a", false);
  await cluster.advance("1s");
  const told = await endpoints();
  expect(told?.metadata.labels).not.toHaveProperty("x");
  expect(told?.subsets?.[0]?.notReadyAddresses).toHaveLength(1);
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  expect(items.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
    'Warning FailedToUpdateEndpoint Failed to update endpoint default/web: Operation cannot be fulfilled on endpoints "web": the object has been modified; please apply your changes to the latest version and try again',
  ]);
});

test("in a namespace that is being deleted nothing is created, and no event is recorded", async () => {
  await cluster.client.create(Namespace, { metadata: { name: "gone" } });
  await cluster.client.create(Service, {
    metadata: { name: "web", namespace: "gone" },
    spec: { ports: [{ port: 80 }] },
  } as never);
  await cluster.client.delete(Namespace, { name: "gone" });
  const key = { namespace: "gone", name: "web" };
  await cluster.client.patch(Service, key, { merge: { spec: { selector: webLabels } } });
  await cluster.advance("1m");
  expect((await cluster.client.list(Endpoints, { namespace: "gone" })).items).toEqual([]);
  expect((await cluster.client.list(Event, {})).items).toEqual([]);
});
