import { expect, test } from "vitest";
import { serviceServer } from "./service-server.test-support.ts";

test("a service gets an address of the upper band, and an IPAddress that refers to it", async () => {
  const { create, ipAddresses } = await serviceServer();
  const { spec } = await create("web");
  expect(spec).toMatchObject({
    clusterIPs: [spec.clusterIP],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
  });
  expect(Number(spec.clusterIP?.split(".")[3])).toBeGreaterThan(16);
  expect(await ipAddresses()).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({
        name: spec.clusterIP,
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      }),
      spec: { parentRef: { resource: "services", namespace: "default", name: "web" } },
    }),
  ]);
});

test("a service and its IPAddress are created and removed in one revision", async () => {
  const { create, remove, store } = await serviceServer();
  const changes: string[][] = [];
  store.subscribe(
    "/registry/",
    { from: await store.currentRevision() },
    { batch: ({ events }) => changes.push(events.map(({ key }) => key)), end: () => {} },
  );
  const { spec } = await create("web", { type: "NodePort" });
  await remove("web");
  const all = [
    `/registry/ipaddresses/${spec.clusterIP}`,
    "/registry/ranges/servicenodeports",
    "/registry/services/specs/default/web",
  ];
  expect(changes).toEqual([all, all]);
});

test("every address is allocated once; the first belongs to the server's own service", async () => {
  const { create, tryCreate, remove } = await serviceServer({ serviceRange: "10.0.0.0/28" });
  const given: (string | undefined)[] = [];
  for (let n = 0; n < 13; n++) given.push((await create(`s${n}`)).spec.clusterIP);
  const all = Array.from({ length: 13 }, (_, n) => `10.0.0.${n + 2}`);
  expect([...given].sort()).toEqual([...all].sort());
  const full =
    '500 Internal error occurred: failed to allocate a serviceIP for Service "more": range is full';
  expect(await tryCreate("more")).toEqual(full);
  const taken =
    '422 Service "more" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: provided IP is already allocated';
  expect(await tryCreate("more", { clusterIP: "10.0.0.1" })).toEqual(taken);
  await remove("s3");
  expect((await create("more")).spec.clusterIP).toEqual(given[3]);
});

test.each([
  [
    "an address of another network",
    { clusterIP: "10.0.1.1" },
    '422 Service "s" is invalid: spec.clusterIPs: Invalid value: ["10.0.1.1"]: failed to allocate IP 10.0.1.1: the provided network does not match the current range',
  ],
  [
    "the address of the network itself",
    { clusterIP: "10.0.0.0" },
    '422 Service "s" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.0"]: failed to allocate IP 10.0.0.0: the provided network does not match the current range',
  ],
  [
    "an address that is taken",
    { clusterIP: "10.0.0.9" },
    '422 Service "s" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.9"]: failed to allocate IP 10.0.0.9: provided IP is already allocated',
  ],
  [
    "a port out of range",
    { type: "NodePort", ports: [{ port: 1, nodePort: 80 }] },
    '422 Service "s" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
  ],
  [
    "a port that is taken",
    { type: "NodePort", ports: [{ port: 1, nodePort: 30009 }] },
    '422 Service "s" is invalid: spec.ports[0].nodePort: Invalid value: 30009: provided port is already allocated',
  ],
  [
    "a port of health checks that is taken",
    { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30009 },
    "500 Internal error occurred: failed to allocate requested HealthCheck NodePort 30009: provided port is already allocated",
  ],
  [
    "a second family that the cluster does not have",
    { ipFamilyPolicy: "RequireDualStack" },
    '422 Service "s" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  ],
  [
    "an invalid port",
    { clusterIP: "10.0.0.10", ports: [{ port: 0, targetPort: 80 }] },
    '422 Service "s" is invalid: spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
  ],
])("%s is rejected, and nothing stays allocated", async (_, spec, wanted) => {
  const { create, tryCreate, addresses, ports } = await serviceServer();
  await create("first", {
    clusterIP: "10.0.0.9",
    type: "NodePort",
    ports: [{ port: 1, nodePort: 30009 }],
  });
  const [before, portsBefore] = [await addresses(), await ports()];
  expect(await tryCreate("s", spec)).toEqual(wanted);
  expect([await addresses(), await ports()]).toEqual([before, portsBefore]);
});

test("a taken address is reported before a taken name", async () => {
  const { create, tryCreate } = await serviceServer();
  await create("web", { clusterIP: "10.0.0.9" });
  expect(await tryCreate("web", { clusterIP: "10.0.0.9" })).toMatch(/^422 .*already allocated$/);
  expect(await tryCreate("web")).toEqual('409 services "web" already exists');
});

test("an address is taken by an IPAddress that a client creates", async () => {
  const { request, tryCreate, addresses } = await serviceServer();
  const made = await request("POST", "/apis/networking.k8s.io/v1/ipaddresses", {
    kind: "IPAddress",
    apiVersion: "networking.k8s.io/v1",
    metadata: { name: "10.0.0.77" },
    spec: { parentRef: { group: "example.com", resource: "gateways", name: "mine" } },
  });
  expect(made.status).toEqual(201);
  expect(await tryCreate("web", { clusterIP: "10.0.0.77" })).toMatch(/^422 .*already allocated$/);
  expect(await addresses()).toEqual(["10.0.0.77"]);
});

test("a dry run returns examples, and allocates nothing", async () => {
  const { create, tryCreate, services, addresses, ports } = await serviceServer();
  const asked = ["a", "b"].map((name, i) => ({ name, port: i + 1 }));
  const { spec } = await create("web", { type: "NodePort", ports: asked }, "?dryRun=All");
  expect(spec.clusterIP).toEqual("10.0.0.0");
  expect(spec.ports?.map(({ nodePort }) => nodePort)).toEqual([32769, 32770]);
  expect([await services(), await addresses(), await ports()]).toEqual([[], [], []]);
  expect(await tryCreate("web", { clusterIP: "10.0.1.5" }, "?dryRun=All")).toEqual(
    '422 Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.0.1.5"]: failed to allocate IP 10.0.1.5: the provided IP (10.0.1.5) is not in the valid range. The range of valid IPs is 10.0.0.0/24',
  );
});

test("a dry run of a deletion or of an update releases nothing", async () => {
  const { create, remove, patch, addresses, ports } = await serviceServer();
  const { spec } = await create("web", { type: "NodePort" });
  const nodePort = spec.ports?.[0]?.nodePort;
  await remove("web", "?dryRun=All");
  await patch("web", { type: "ClusterIP" }, "?dryRun=All");
  expect([await addresses(), await ports()]).toEqual([[spec.clusterIP], [nodePort]]);
});

test("a service with a finalizer keeps its address until it is removed", async () => {
  const { request, create, remove, addresses } = await serviceServer();
  const { spec } = await create("web");
  const path = "/api/v1/namespaces/default/services/web";
  await request("PATCH", path, { metadata: { finalizers: ["example.com/wait"] } });
  await remove("web");
  expect(await addresses()).toEqual([spec.clusterIP]);
  await request("PATCH", path, { metadata: { finalizers: null } });
  expect(await addresses()).toEqual([]);
});

test("the endpoints of a service are deleted with it", async () => {
  const { request, create, remove } = await serviceServer();
  const endpoints = "/api/v1/namespaces/default/endpoints";
  for (const name of ["web", "other"])
    await request("POST", endpoints, { kind: "Endpoints", apiVersion: "v1", metadata: { name } });
  await create("web");
  await remove("web");
  expect((await request("GET", `${endpoints}/web`)).status).toEqual(404);
  expect((await request("GET", `${endpoints}/other`)).status).toEqual(200);
});

test("a deletion does not release an address that another service has by now", async () => {
  const { request, create, remove, addresses } = await serviceServer();
  await create("web", { clusterIP: "10.0.0.30" });
  const path = "/apis/networking.k8s.io/v1/ipaddresses";
  await request("DELETE", `${path}/10.0.0.30`);
  await request("POST", path, {
    kind: "IPAddress",
    apiVersion: "networking.k8s.io/v1",
    metadata: { name: "10.0.0.30" },
    spec: { parentRef: { group: "example.com", resource: "gateways", name: "mine" } },
  });
  await remove("web");
  expect(await addresses()).toEqual(["10.0.0.30"]);
});

test("allocations are known after a restart", async () => {
  const first = await serviceServer();
  const { spec } = await first.create("web", { type: "NodePort" });
  first.server.close();
  const { clock, store } = first;
  const revision = await store.currentRevision();
  const { tryCreate, ports } = await serviceServer({ clock, store });
  // Nothing is written if nothing needs repair.
  expect(await store.currentRevision()).toEqual(revision);
  const { clusterIP } = spec;
  const nodePort = spec.ports?.[0]?.nodePort;
  expect(await tryCreate("x", { clusterIP })).toMatch(/^422 .*already allocated$/);
  const again = { type: "NodePort", ports: [{ port: 1, nodePort }] };
  expect(await tryCreate("x", again)).toMatch(/^422 .*already allocated$/);
  expect(await ports()).toEqual([nodePort]);
});

test.each(["10.0.0.0", "10.0.0.0/24,10.1.0.0/24", "10.0.0.0/24,fd00::/112,fd01::/112"])(
  "a server does not start with the range %s",
  async (serviceRange) => {
    await expect(serviceServer({ serviceRange })).rejects.toThrow(/range of addresses/);
  },
);
