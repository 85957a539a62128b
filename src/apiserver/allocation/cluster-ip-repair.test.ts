import { expect, test } from "vitest";
import type { Event } from "../../api/events/v1/event.ts";
import { StoreError } from "../../store/store.ts";
import { type ServiceServer, serviceServer } from "./service-server.test-support.ts";

const paths = {
  addresses: "/apis/networking.k8s.io/v1/ipaddresses",
  ranges: "/apis/networking.k8s.io/v1/servicecidrs",
  events: "/apis/events.k8s.io/v1/namespaces/default/events",
};
const minute = 60_000;

async function eventsOf({ request }: ServiceServer): Promise<Event[]> {
  return ((await request("GET", paths.events)).body as { items: Event[] }).items;
}

const ipAddress = (name: string, parentRef: object) => ({
  kind: "IPAddress",
  apiVersion: "networking.k8s.io/v1",
  metadata: {
    name,
    labels: {
      "ipaddress.kubernetes.io/ip-family": "IPv4",
      "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    },
  },
  spec: { parentRef },
});

test("a deleted IPAddress is created again, with an event", async () => {
  const world = await serviceServer({ hostname: "host-1" });
  const { spec, metadata } = await world.create("web", { clusterIP: "10.0.0.9" });
  await world.request("DELETE", `${paths.addresses}/10.0.0.9`);
  await world.clock.advance(3 * minute);
  const [object, ...others] = await world.ipAddresses();
  expect([object?.metadata.name, others]).toEqual([spec.clusterIP, []]);
  expect(object?.spec).toEqual({
    parentRef: { resource: "services", namespace: "default", name: "web" },
  });
  expect(await eventsOf(world)).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({ name: expect.stringMatching(/^web\.[0-9a-f]+$/) }),
      eventTime: "2026-01-01T00:03:00.000000Z",
      reportingController: "ipallocator-repair-controller",
      reportingInstance: "ipallocator-repair-controller-host-1",
      type: "Warning",
      reason: "ClusterIPNotAllocated",
      action: "ClusterIPAllocation",
      note: "Cluster IP [IPv4]: 10.0.0.9 is not allocated; repairing",
      regarding: {
        kind: "Service",
        apiVersion: "v1",
        namespace: "default",
        name: "web",
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      },
    }),
  ]);
});

test("an IPAddress without a service is deleted after a minute", async () => {
  const world = await serviceServer();
  const parent = { resource: "services", namespace: "default", name: "never" };
  const made = await world.request("POST", paths.addresses, ipAddress("10.0.0.9", parent));
  expect(made.status).toBe(201);
  await world.clock.advance(minute);
  expect(await world.addresses()).toEqual(["10.0.0.9"]);
  await world.clock.advance(1000);
  expect(await world.addresses()).toEqual([]);
  expect(
    (await eventsOf(world)).map(({ reason, note, regarding }) => [reason, note, regarding.kind]),
  ).toEqual([
    [
      "IPAddressNotAllocated",
      "IPAddress: 10.0.0.9 for Service default/never appears to have leaked: cleaning up",
      "IPAddress",
    ],
  ]);
});

test("an IPAddress of the allocator without a parent is deleted at once, those of others stay", async () => {
  const world = await serviceServer();
  const parent = { group: "example.com", resource: "gateways", name: "mine" };
  await world.request("POST", paths.addresses, ipAddress("10.0.0.9", parent));
  const { metadata, ...others } = ipAddress("10.0.0.10", parent);
  await world.request("POST", paths.addresses, { ...others, metadata: { name: metadata.name } });
  await world.clock.advance(0);
  expect(await world.addresses()).toEqual(["10.0.0.10"]);
});

test("services of a cluster that had no IPAddresses get them at start", async () => {
  const old = await serviceServer();
  await old.create("web", { type: "NodePort", ports: [{ port: 80, nodePort: 30123 }] });
  await old.create("other");
  const known = await old.addresses();
  old.server.close();
  const { store, clock } = old;
  const { revision } = await store.list("/registry/");
  await store.commit([
    ...known.map((name) => ({ type: "delete", key: `/registry/ipaddresses/${name}` }) as const),
    { type: "delete", key: "/registry/ranges/servicenodeports" },
  ]);
  const world = await serviceServer({ store, clock });
  expect(await store.currentRevision()).toBeGreaterThan(revision);
  expect([await world.addresses(), await world.ports()]).toEqual([known, [30123]]);
});

test("nothing is written while nothing needs repair", async () => {
  const world = await serviceServer();
  await world.create("web", { type: "NodePort" });
  const before = await world.store.currentRevision();
  await world.clock.advance(20 * minute);
  expect(await world.store.currentRevision()).toBe(before);
});

test("a repeated finding is counted in one event", async () => {
  const first = await serviceServer();
  await first.create("web", { clusterIP: "10.0.0.9" });
  first.server.close();
  const { store, clock } = first;
  await store.commit([{ type: "delete", key: "/registry/servicecidrs/kubernetes" }]);
  const world = await serviceServer({ store, clock, serviceRange: "10.1.0.0/24" });
  const events = async () =>
    (await eventsOf(world))
      .filter(({ regarding }) => regarding?.name === "web")
      .map(({ reason, series }) => [reason, series?.count]);
  expect(await events()).toEqual([["ClusterIPOutOfRange", undefined]]);
  await clock.advance(3 * minute);
  expect(await events()).toEqual([["ClusterIPOutOfRange", 2]]);
  await clock.advance(3 * minute);
  expect(await events()).toEqual([["ClusterIPOutOfRange", 2]]);
  await clock.advance(30 * minute);
  expect(await events()).toEqual([["ClusterIPOutOfRange", 12]]);
});

test("a port that leaked is free after three rounds", async () => {
  const first = await serviceServer();
  await first.create("web", { type: "NodePort", ports: [{ port: 1, nodePort: 30050 }] });
  first.server.close();
  const { store, clock } = first;
  await store.commit([{ type: "delete", key: "/registry/services/specs/default/web" }]);
  const world = await serviceServer({ store, clock });
  expect(await world.ports()).toEqual([30050]);
  await clock.advance(3 * minute);
  expect(await world.ports()).toEqual([30050]);
  await clock.advance(3 * minute);
  expect(await world.ports()).toEqual([]);
});

test("another range of node ports is stored, and services outside of it are reported", async () => {
  const first = await serviceServer();
  await first.create("web", { type: "NodePort", ports: [{ port: 1, nodePort: 30050 }] });
  first.server.close();
  const { store, clock } = first;
  const nodePortRange = { first: 40000, last: 40100 };
  const world = await serviceServer({ store, clock, nodePortRange });
  expect(
    (await eventsOf(world)).map(({ reason, reportingController }) => [reason, reportingController]),
  ).toEqual([["PortOutOfRange", "portallocator-repair-controller"]]);
  const { spec } = await world.create("other", { type: "NodePort" });
  expect(await world.ports()).toEqual([spec.ports?.[0]?.nodePort]);
});

test("a server whose first repair fails does not start", async () => {
  const first = await serviceServer();
  await first.create("web", { clusterIP: "10.0.0.9" });
  await first.store.commit([{ type: "delete", key: "/registry/ipaddresses/10.0.0.9" }]);
  first.server.close();
  const { store, clock } = first;
  const broken = Object.assign(Object.create(store), {
    commit: async () => {
      throw new StoreError("Unavailable", "no writes today");
    },
  });
  for (const name of ["get", "list", "currentRevision", "subscribe"] as const)
    broken[name] = (store[name] as (...args: unknown[]) => unknown).bind(store);
  await expect(serviceServer({ store: broken, clock })).rejects.toThrow(
    "unable to perform initial IP and Port allocation check",
  );
});
