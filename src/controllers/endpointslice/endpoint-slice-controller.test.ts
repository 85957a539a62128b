import { afterEach, beforeEach, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { addNode, addPod, setReady, setStatus, webLabels } from "../endpoints/web.test-support.ts";
import {
  partsOf,
  type RunningCluster,
  runningCluster,
  runningOn,
} from "../running.test-support.ts";
import { endpointSliceModule } from "./endpoint-slice-module.ts";

let cluster: RunningCluster;
const start = async (values: Readonly<Record<string, number>> = {}): Promise<void> => {
  cluster = await runningCluster(...partsOf(endpointSliceModule, { values }));
};
beforeEach(() => start());
afterEach(() => cluster.end());

const addService = (spec: object = {}, metadata: object = {}) =>
  cluster.client.create(Service, {
    metadata: { name: "web", ...metadata },
    spec: { selector: webLabels, ports: [{ port: 80 }], ...spec },
  } as never);

const changeService = (change: object) =>
  cluster.client.patch(Service, { name: "web" }, { merge: change });

async function slices(): Promise<readonly EndpointSlice[]> {
  await cluster.settled();
  return (await cluster.client.list(EndpointSlice, { namespace: "default" })).items.filter(
    ({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web",
  );
}

async function theSlice(): Promise<EndpointSlice> {
  const all = await slices();
  expect(all).toHaveLength(1);
  return all[0] as EndpointSlice;
}

async function events(): Promise<string[]> {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items.map(({ type, reason, message, source, reportingComponent }) =>
    [type, reason, source?.component ?? reportingComponent, message].join(" "),
  );
}

test("a slice lists the pods of a service, with its owner and labels", async () => {
  await addNode(cluster, "n1", { zone: "z1" });
  await addPod(cluster, { name: "a", ip: "10.1.0.1" });
  await addPod(cluster, { name: "b", ip: "10.1.0.2", ready: false });
  await addPod(cluster, { name: "c", labels: { app: "other" } });
  const service = await addService({}, { labels: { team: "blue" } });
  const { metadata, addressType, endpoints, ports } = await theSlice();
  expect(metadata).toMatchObject({
    generateName: "web-",
    labels: {
      team: "blue",
      "kubernetes.io/service-name": "web",
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    },
    annotations: {
      "endpoints.kubernetes.io/last-change-trigger-time": service.metadata.creationTimestamp,
    },
    ownerReferences: [
      {
        apiVersion: "v1",
        kind: "Service",
        name: "web",
        uid: service.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  expect(metadata.labels).not.toHaveProperty("service.kubernetes.io/headless");
  expect(addressType).toBe("IPv4");
  expect(ports).toEqual([{ name: "", protocol: "TCP", port: 80 }]);
  expect(endpoints).toMatchObject([
    {
      addresses: ["10.1.0.1"],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: "Pod", namespace: "default", name: "a" },
      nodeName: "n1",
      zone: "z1",
    },
    { addresses: ["10.1.0.2"], conditions: { ready: false, serving: false, terminating: false } },
  ]);
});

test("the empty lists of a slice have no managed fields, because protobuf does not carry them", async () => {
  await addService({ clusterIP: "None" });
  const { managedFields = [] } = (await theSlice()).metadata;
  expect(managedFields.map(({ fieldsV1 }) => Object.keys(fieldsV1 ?? {}).sort())).toEqual([
    ["f:addressType", "f:metadata"],
  ]);
});

test("a service without pods has an empty slice, which stays as pods come and go", async () => {
  await addService({ clusterIP: "None" });
  const empty = await theSlice();
  expect(empty).toMatchObject({ endpoints: null, ports: null });
  expect(empty.metadata.labels).toHaveProperty("service.kubernetes.io/headless", "");
  await addNode(cluster, "n1");
  await addPod(cluster, { name: "a" });
  const filled = await theSlice();
  expect(filled.metadata.name).toBe(empty.metadata.name);
  expect(filled.endpoints).toHaveLength(1);
  await cluster.client.delete(Pod, { name: "a" }, { gracePeriodSeconds: 0 });
  const again = await theSlice();
  expect(again).toMatchObject({ metadata: { name: empty.metadata.name }, endpoints: null });
});

test("readiness, termination and deletion of a pod are written at once", async () => {
  await addNode(cluster, "n1");
  await addPod(cluster, { name: "a" });
  await addService();
  await cluster.advance("10s");
  await setReady(cluster, "a", false);
  const unready = await theSlice();
  expect(unready.endpoints?.[0]?.conditions).toEqual({
    ready: false,
    serving: false,
    terminating: false,
  });
  expect(unready.metadata.annotations).toEqual({
    "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:10Z",
  });
  await setReady(cluster, "a", true);
  await cluster.client.delete(Pod, { name: "a" }, { gracePeriodSeconds: 30 });
  expect((await theSlice()).endpoints?.[0]?.conditions).toEqual({
    ready: false,
    serving: true,
    terminating: true,
  });
  await setStatus(cluster, "a", { phase: "Failed" });
  expect((await theSlice()).endpoints ?? []).toHaveLength(0);
});

test("a pod whose update changes nothing that matters leads to no write", async () => {
  await addNode(cluster, "n1");
  await addPod(cluster, { name: "a" });
  await addService();
  const before = await theSlice();
  const change = { metadata: { annotations: { note: "x" } } };
  await cluster.client.patch(Pod, { name: "a" }, { merge: change });
  await setStatus(cluster, "a", { message: "well" });
  await cluster.advance("5m");
  expect((await theSlice()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});

test("with publishNotReadyAddresses every pod is ready, even without a node", async () => {
  await addNode(cluster, "n1");
  await addPod(cluster, { name: "a", ready: false });
  await addPod(cluster, { name: "b", node: "gone", ip: "10.1.0.2" });
  await addService({ publishNotReadyAddresses: true });
  expect((await theSlice()).endpoints).toMatchObject([
    { conditions: { ready: true, serving: false } },
    { conditions: { ready: true, serving: true }, nodeName: "gone" },
  ]);
});

test("a pod on a missing node is skipped with an event, and added when the node appears", async () => {
  await addPod(cluster, { name: "a" });
  await addService();
  expect((await theSlice()).endpoints ?? []).toHaveLength(0);
  expect(await events()).toEqual([
    "Warning FailedToUpdateEndpointSlices endpoint-slice-controller Error updating Endpoint Slices for Service default/web: skipping Pod a for Service default/web: Node n1 Not Found",
  ]);
  await addNode(cluster, "n1");
  await cluster.advance("10s");
  expect((await theSlice()).endpoints).toHaveLength(1);
});

test("a failed write of a slice records an event and is retried", async () => {
  const error = new StatusError("Forbidden", "not now");
  const calls = { verb: "create", resource: "endpointslices" };
  cluster.faults.add({ calls, times: 1, fault: { type: "fail", error } });
  await addService();
  expect(await slices()).toEqual([]);
  expect(await events()).toEqual([
    "Warning FailedToUpdateEndpointSlices endpoint-slice-controller Error updating Endpoint Slices for Service default/web: failed to create EndpointSlice for Service default/web: not now",
  ]);
  await cluster.advance("1s");
  expect(await slices()).toHaveLength(1);
});

test("pods beyond the capacity are in further slices, and stay in their slice", async () => {
  await cluster.end();
  await start({ "max-endpoints-per-slice": 3 });
  await addNode(cluster, "n1");
  await addService();
  for (let i = 1; i <= 7; i++) await addPod(cluster, { name: `p${i}`, ip: `10.1.0.${i}` });
  const full = await slices();
  expect(full.map(({ endpoints }) => endpoints?.length).sort()).toEqual([1, 3, 3]);
  await cluster.client.delete(Pod, { name: "p1" }, { gracePeriodSeconds: 0 });
  const after = await slices();
  expect(after.flatMap(({ endpoints }) => endpoints ?? [])).toHaveLength(6);
  const changed = after.filter(
    (slice) => !full.some((old) => old.metadata.resourceVersion === slice.metadata.resourceVersion),
  );
  expect(changed).toHaveLength(1);
});

test("changes of a service's labels and ports update its slices in place", async () => {
  await addNode(cluster, "n1");
  await addPod(cluster, { name: "a" });
  await addService();
  const before = await theSlice();
  await changeService({ metadata: { labels: { team: "red" } } });
  const labelled = await theSlice();
  expect(labelled.metadata).toMatchObject({
    name: before.metadata.name,
    labels: { team: "red" },
  });
  await changeService({ spec: { ports: [{ port: 81, protocol: "TCP" }] } });
  const moved = await theSlice();
  expect(moved.metadata.name).toBe(before.metadata.name);
  expect(moved.ports).toMatchObject([{ port: 81 }]);
  await changeService({ spec: { selector: { app: "none" } } });
  expect((await theSlice()).endpoints ?? []).toHaveLength(0);
});

test("changes of slices by other clients are reverted after a second; own writes cause no reconcile", async () => {
  await addNode(cluster, "n1");
  await addPod(cluster, { name: "a" });
  await addService();
  const { metadata, endpoints } = await theSlice();
  const key = { name: metadata.name ?? "" };
  await cluster.advance("10s");
  await cluster.client.patch(EndpointSlice, key, { merge: { endpoints: [] } });
  expect((await theSlice()).endpoints ?? []).toHaveLength(0);
  await cluster.advance("1s");
  expect((await theSlice()).endpoints).toEqual(endpoints);
  await cluster.client.delete(EndpointSlice, key);
  await cluster.advance("1s");
  expect((await theSlice()).endpoints).toEqual(endpoints);
});

test("slices of other managers are not changed, and those of a former service are not reused", async () => {
  const foreign = { "kubernetes.io/service-name": "web", team: "x" };
  await cluster.client.create(EndpointSlice, {
    metadata: { name: "foreign", labels: foreign },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.9.9.9"] }],
  } as never);
  await cluster.client.create(EndpointSlice, {
    metadata: {
      name: "former",
      labels: {
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.9.9.8"] }],
  } as never);
  await addService();
  const names = (await slices()).map(({ metadata }) => metadata.name);
  expect(names).toContain("foreign");
  expect(names).not.toContain("former");
  expect(names).toHaveLength(2);
});

test("services without a selector or of type ExternalName have no slices", async () => {
  await cluster.client.create(Service, {
    metadata: { name: "web" },
    spec: { ports: [{ port: 80 }] },
  } as never);
  expect(await slices()).toEqual([]);
  await cluster.client.delete(Service, { name: "web" });
  await addService({ type: "ExternalName", externalName: "example.com" });
  expect(await slices()).toEqual([]);
});

test("changes of pods are batched, changes of a service are written at once", async () => {
  await cluster.end();
  await start({ "endpointslice-updates-batch-period": 5000 });
  await addNode(cluster, "n1");
  await addService();
  await theSlice();
  await addPod(cluster, { name: "a" });
  await cluster.advance("4900ms");
  expect((await theSlice()).endpoints ?? []).toHaveLength(0);
  await cluster.advance("100ms");
  expect((await theSlice()).endpoints).toHaveLength(1);
  await setReady(cluster, "a", false);
  await cluster.settled();
  await changeService({ metadata: { labels: { team: "red" } } });
  expect((await theSlice()).endpoints?.[0]?.conditions?.ready).toBe(false);
});

test("hints follow the traffic distribution of a service, and are removed with it", async () => {
  await addNode(cluster, "n1", { zone: "z1" });
  await addNode(cluster, "n2", { zone: "z2" });
  await addPod(cluster, { name: "a", node: "n1", ip: "10.1.0.1" });
  await addPod(cluster, { name: "b", node: "n2", ip: "10.1.0.2" });
  await addService({ trafficDistribution: "PreferClose" });
  const hints = async () => (await theSlice()).endpoints?.map((one) => one.hints);
  expect(await hints()).toEqual([{ forZones: [{ name: "z1" }] }, { forZones: [{ name: "z2" }] }]);
  await changeService({ spec: { trafficDistribution: "PreferSameNode" } });
  expect(await hints()).toEqual([
    { forZones: [{ name: "z1" }], forNodes: [{ name: "n1" }] },
    { forZones: [{ name: "z2" }], forNodes: [{ name: "n2" }] },
  ]);
  await changeService({ spec: { trafficDistribution: null } });
  expect(await hints()).toEqual([undefined, undefined]);
});

test("topology mode Auto distributes endpoints among zones, records events, and follows the nodes", async () => {
  await addNode(cluster, "n1", { zone: "z1", cpu: 4 });
  await addNode(cluster, "n2", { zone: "z2", cpu: 4 });
  for (let i = 1; i <= 4; i++)
    await addPod(cluster, { name: `p${i}`, node: i < 4 ? "n1" : "n2", ip: `10.1.0.${i}` });
  await addService({}, { annotations: { "service.kubernetes.io/topology-mode": "Auto" } });
  const zones = async () =>
    (await theSlice()).endpoints?.map(({ hints }) => hints?.forZones?.[0]?.name);
  expect((await zones())?.toSorted()).toEqual(["z1", "z1", "z2", "z2"]);
  await cluster.client.patch(
    Node,
    { name: "n2" },
    { strategic: { status: { conditions: [{ type: "Ready", status: "False" }] } } as never },
    { subresource: "status" },
  );
  await cluster.settled();
  expect(await zones()).toEqual([undefined, undefined, undefined, undefined]);
  expect((await events()).filter((one) => one.includes("Topology")).sort()).toEqual([
    "Normal TopologyAwareHintsEnabled endpoint-slice-controller Topology Aware Hints has been enabled, addressType: IPv4",
    "Warning TopologyAwareHintsDisabled endpoint-slice-controller Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4",
  ]);
});

test("after a restart nothing is written where nothing changed", async () => {
  await addNode(cluster, "n1");
  await addPod(cluster, { name: "a" });
  await addService();
  const before = await theSlice();
  const fork = cluster.fork();
  await cluster.end();
  cluster = await runningOn(fork, ...partsOf(endpointSliceModule));
  await cluster.advance("1m");
  expect(await theSlice()).toEqual(before);
});
