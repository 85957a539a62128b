import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { type Answer, openCluster, type TestCluster } from "./cluster.test-support.ts";
import { serverName } from "./identity-lease.ts";
import type { PresenceOptions } from "./presence.ts";

const service = "/api/v1/namespaces/default/services/kubernetes";
const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
const slice = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
/** The hash and encoding of Go's standard library. */
const nameOfNode1 = "lgabes5ywnaqeagh5dny4zlzs4";
const start = Date.UTC(2026, 0, 1);
const advertise = (address: string, port = 6443) => ({ advertise: { address, port: () => port } });

/** The addresses of all servers, by the endpoints and by the slice. */
async function addressesOf(cluster: TestCluster): Promise<[string[], string[]]> {
  const [{ body: old }, { body: now }] = await Promise.all([
    cluster.ask(endpoints),
    cluster.ask(slice),
  ]);
  // biome-ignore lint/suspicious/noExplicitAny: a response
  const listed = (old.subsets?.[0]?.addresses ?? []).map(({ ip }: any) => ip);
  // biome-ignore lint/suspicious/noExplicitAny: a response
  return [listed, (now.endpoints ?? []).flatMap(({ addresses }: any) => addresses)];
}

/** Servers on one store, each announced. */
const sharing = (...addresses: string[]): Promise<TestCluster[]> => sharingBy({}, ...addresses);

async function sharingBy(
  more: Pick<PresenceOptions, "endpointReconciler">,
  ...addresses: string[]
): Promise<TestCluster[]> {
  const clock = new VirtualClock(start);
  const store = new MemoryStore(clock);
  const clusters: TestCluster[] = [];
  for (const address of addresses) {
    const shared = { sharedStore: true, hostname: `host-${address}`, ...more };
    const options = { ...advertise(address), ...shared };
    const cluster = await openCluster(options, clock, store);
    await cluster.server.announce();
    await cluster.settle();
    clusters.push(cluster);
  }
  return clusters;
}

test("the service kubernetes: exists in a new cluster", async () => {
  const cluster = await openCluster({ serviceRange: "10.96.0.0/12" });
  const { body } = await cluster.ask(service);
  expect(body.metadata.labels).toEqual({ component: "apiserver", provider: "kubernetes" });
  expect(body.metadata.managedFields[0].manager).toEqual("kube-apiserver");
  expect(body.spec).toEqual({
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }],
    clusterIP: "10.96.0.1",
    clusterIPs: ["10.96.0.1"],
    type: "ClusterIP",
    sessionAffinity: "None",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
  });
  expect((await cluster.ask(endpoints)).status).toEqual(404);
});

test("the service kubernetes: has a node port if one is configured", async () => {
  const cluster = await openCluster({ kubernetesServiceNodePort: 30443 });
  const { body } = await cluster.ask(service);
  expect(body.spec).toMatchObject({ type: "NodePort", ports: [{ port: 443, nodePort: 30443 }] });
  const taken = {
    metadata: { name: "other" },
    spec: { type: "NodePort", ports: [{ port: 1, nodePort: 30443 }] },
  };
  const path = "/api/v1/namespaces/default/services";
  expect((await cluster.ask({ method: "POST", path, body: taken })).status).toEqual(422);
});

test("the service kubernetes: is created again with the same address, which no other service gets", async () => {
  const cluster = await openCluster();
  const { body } = await cluster.ask(service);
  const taken = {
    metadata: { name: "thief" },
    spec: { clusterIP: "10.0.0.1", ports: [{ port: 1 }] },
  };
  const path = "/api/v1/namespaces/default/services";
  expect((await cluster.ask({ method: "POST", path, body: taken })).status).toEqual(422);
  await cluster.remove(service);
  const { body: again } = await cluster.until(service, ({ status }) => status === 200);
  expect(again.metadata.uid).not.toEqual(body.metadata.uid);
  expect(again.spec).toEqual(body.spec);
});

test("presence: a server publishes its address once it listens", async () => {
  const cluster = await openCluster(advertise("192.0.2.7", 16443));
  expect((await cluster.ask(service)).status).toEqual(404);
  await cluster.server.announce();
  expect((await cluster.ask(service)).body.spec.ports[0].targetPort).toEqual(16443);
  const { body } = await cluster.ask(endpoints);
  expect([body.metadata.labels, body.subsets]).toEqual([
    { "endpointslice.kubernetes.io/skip-mirror": "true" },
    [
      {
        addresses: [{ ip: "192.0.2.7" }],
        ports: [{ name: "https", port: 16443, protocol: "TCP" }],
      },
    ],
  ]);
  const { body: sliced } = await cluster.ask(slice);
  expect(sliced).toMatchObject({
    metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.7"], conditions: { ready: true } }],
    ports: [{ name: "https", port: 16443, protocol: "TCP" }],
  });
});

test("presence: a single server writes nothing while nothing changes, nor when it starts again", async () => {
  const cluster = await openCluster(advertise("192.0.2.7"));
  const { clock, store } = cluster;
  await cluster.server.announce();
  const before = await store.currentRevision();
  await clock.advance(60 * 60_000);
  await cluster.server.withdraw();
  cluster.server.close();
  const next = await openCluster(advertise("192.0.2.7"), clock, store);
  await next.server.announce();
  expect(await store.currentRevision()).toEqual(before);
});

test("presence: deleted or changed endpoints are corrected; ports are when a server starts", async () => {
  const cluster = await openCluster(advertise("192.0.2.7"));
  await cluster.server.announce();
  const isRight = async () => (await addressesOf(cluster)).flat();
  await cluster.remove(endpoints);
  await cluster.remove(slice);
  await cluster.settle();
  expect(await isRight()).toEqual(["192.0.2.7", "192.0.2.7"]);
  await cluster.merge(endpoints, { subsets: [] });
  await cluster.merge(slice, { endpoints: [] });
  await cluster.settle();
  expect(await isRight()).toEqual(["192.0.2.7", "192.0.2.7"]);
  cluster.server.close();
  const next = await openCluster(advertise("192.0.2.7", 7443), cluster.clock, cluster.store);
  await next.server.announce();
  expect((await next.ask(endpoints)).body.subsets[0].ports[0].port).toEqual(7443);
  expect((await next.ask(slice)).body.ports[0].port).toEqual(7443);
});

test("presence: all servers on one store are in the endpoints; one that crashes is until its lease expires", async () => {
  const [first, second] = (await sharing("192.0.2.7", "192.0.2.10")) as [TestCluster, TestCluster];
  const both = ["192.0.2.10", "192.0.2.7"];
  expect(await addressesOf(first)).toEqual([both, both]);
  await first.clock.advance(60_000);
  expect(await addressesOf(first)).toEqual([both, both]);
  second.server.close();
  await first.clock.advance(10_000);
  expect(await addressesOf(first)).toEqual([both, both]);
  await first.clock.advance(15_000);
  expect(await addressesOf(first)).toEqual([["192.0.2.7"], ["192.0.2.7"]]);
});

test("presence: servers whose number is known add and remove themselves, without leases", async () => {
  const [first, , third] = (await sharingBy(
    { endpointReconciler: { by: "count", count: 2 } },
    "192.0.2.3",
    "192.0.2.7",
    "192.0.2.5",
  )) as [TestCluster, TestCluster, TestCluster];
  const two = ["192.0.2.3", "192.0.2.5"];
  expect(await addressesOf(first)).toEqual([two, two]);
  expect((await first.store.list("/registry/masterleases/")).entries).toEqual([]);
  await third.server.withdraw();
  await first.settle();
  const [left] = await addressesOf(first);
  expect(left).not.toContain("192.0.2.5");
});

test("presence: endpoints that others maintain are left alone", async () => {
  const by = { by: "none" } as const;
  const cluster = await openCluster({ ...advertise("192.0.2.7"), endpointReconciler: by });
  await cluster.server.announce();
  expect((await cluster.ask(service)).status).toEqual(200);
  expect((await cluster.ask(endpoints)).status).toEqual(404);
});

test("presence: a server whose lease was removed renews it at once", async () => {
  const { log, faults } = recordedFaults();
  const cluster = await openCluster({ ...advertise("192.0.2.7"), sharedStore: true, log });
  await cluster.server.announce();
  // Another server with the same address does this when it stops.
  await cluster.store.commit([{ type: "delete", key: "/registry/masterleases/192.0.2.7" }]);
  await cluster.merge(endpoints, { subsets: null });
  await cluster.settle();
  expect(await addressesOf(cluster)).toEqual([["192.0.2.7"], ["192.0.2.7"]]);
  expect((await cluster.store.list("/registry/masterleases/")).entries).toHaveLength(1);
  expect(faults).toEqual([]);
});

test("presence: endpoints are not emptied if the store has no leases", async () => {
  const { log, faults } = recordedFaults();
  const cluster = await openCluster({ ...advertise("192.0.2.7"), sharedStore: true, log });
  await cluster.server.announce();
  const list = cluster.store.list.bind(cluster.store);
  cluster.store.list = async (prefix, options) => {
    const listed = await list(prefix, options);
    return prefix === "/registry/masterleases/" ? { ...listed, entries: [] } : listed;
  };
  await cluster.merge(endpoints, { metadata: { annotations: { looked: "at" } } });
  await cluster.settle();
  const mine = [["192.0.2.7"], ["192.0.2.7"]];
  expect(await addressesOf(cluster)).toEqual(mine);
  expect([...new Set(faults)]).toEqual([
    "Error: no API server IP addresses were listed in storage, refusing to erase all endpoints for the kubernetes Service",
  ]);
  cluster.store.list = list;
  await cluster.clock.advance(10_000);
  expect(await addressesOf(cluster)).toEqual(mine);
});

test("presence: a server that stops removes itself at once, even the last one", async () => {
  const [first, second] = (await sharing("192.0.2.7", "192.0.2.10")) as [TestCluster, TestCluster];
  expect((await first.names(leases)).length).toEqual(2);
  await second.server.withdraw();
  expect(await addressesOf(first)).toEqual([["192.0.2.7"], ["192.0.2.7"]]);
  expect((await first.names(leases)).length).toEqual(1);
  await first.server.withdraw();
  expect(await addressesOf(first)).toEqual([[], []]);
  for (const { server } of [first, second]) server.close();
  // The remaining timer is the store's, for expired entries.
  await first.clock.advance(60_000);
  expect(first.clock.pending).toEqual(0);
});

test("presence: a server stops even if the store fails", async () => {
  const [cluster] = (await sharing("192.0.2.7")) as [TestCluster];
  await cluster.store.close();
  await cluster.server.withdraw();
  cluster.server.close();
  expect(cluster.clock.pending).toEqual(0);
});

test("presence: leases are laid out as upstream's, so that its servers may share the store", async () => {
  const [cluster] = (await sharing("192.0.2.7")) as [TestCluster];
  const { entries } = await cluster.store.list("/registry/masterleases/");
  const [entry] = entries;
  expect(entry?.key).toEqual("/registry/masterleases/192.0.2.7");
  const text = Buffer.from(entry?.value ?? []).toString("latin1");
  expect(text.startsWith("k8s\0")).toEqual(true);
  expect(text).toContain("Endpoints");
});

test("presence: the identity lease has the host and the address of the server", async () => {
  const options = { ...advertise("192.0.2.7"), hostname: "node-1" };
  const cluster = await openCluster(options);
  await cluster.server.announce();
  const path = `${leases}/apiserver-${nameOfNode1}`;
  const { body } = await cluster.until(path, ({ status }) => status === 200);
  expect([body.metadata.labels, body.metadata.annotations, body.spec]).toEqual([
    { "apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": "node-1" },
    { "kubernetes.io/peer-advertise-address": "192.0.2.7:6443" },
    {
      holderIdentity: expect.stringMatching(new RegExp(`^apiserver-${nameOfNode1}_[0-9a-f-]{36}$`)),
      leaseDurationSeconds: 3600,
      renewTime: "2026-01-01T00:00:00.000000Z",
    },
  ]);
  await cluster.remove(path);
  await cluster.until(path, ({ status }: Answer) => status === 200);
});

test("presence: a server that starts again takes its lease, and deletes expired ones of others", async () => {
  const options = { ...advertise("192.0.2.7"), hostname: "node-1" };
  const cluster = await openCluster(options);
  const { clock, store } = cluster;
  await cluster.server.announce();
  const path = `${leases}/apiserver-${nameOfNode1}`;
  const { body } = await cluster.until(path, ({ status }) => status === 200);
  const mine = { metadata: { name: "mine" }, spec: { leaseDurationSeconds: 1 } };
  await cluster.ask({ method: "POST", path: leases, body: mine });
  await cluster.ask({
    method: "POST",
    path: leases,
    body: { ...body, metadata: { name: "apiserver-old", labels: body.metadata.labels } },
  });
  await clock.advance(3_600_001);
  cluster.server.close();
  const next = await openCluster(options, clock, store);
  await next.server.announce();
  await next.settle();
  expect(await next.names(leases)).toEqual([`apiserver-${nameOfNode1}`, "mine"]);
  const { body: renewed } = await next.ask(path);
  expect(renewed.metadata.uid).toEqual(body.metadata.uid);
  expect(renewed.spec.renewTime).toEqual("2026-01-01T01:00:00.001000Z");
});

test("presence: if there may be other servers, the lease is renewed every ten seconds", async () => {
  const [cluster] = (await sharing("192.0.2.7")) as [TestCluster];
  const [name] = await cluster.names(leases);
  await cluster.clock.advance(30_000);
  const { body } = await cluster.ask(`${leases}/${name}`);
  expect(body.spec.renewTime).toEqual("2026-01-01T00:00:30.000000Z");
});

test("presence: a server is named by a hash of its host", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest();
  expect(serverName("node-1", sha256)).toEqual(`apiserver-${nameOfNode1}`);
});

function recordedFaults() {
  const faults: string[] = [];
  const error = (_: string, fault: unknown): void => void faults.push(String(fault));
  return { faults, log: { ...noLog, error } };
}
