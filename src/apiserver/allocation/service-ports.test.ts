import { expect, test } from "vitest";
import { patched, serviceServer } from "./service-server.test-support.ts";

test("ports of one number share a node port, others have their own", async () => {
  const { create, ports, remove } = await serviceServer();
  const { spec } = await create("dns", {
    type: "NodePort",
    ports: [
      { name: "udp", port: 53, protocol: "UDP" },
      { name: "tcp", port: 53 },
      { name: "http", port: 80 },
      { name: "asked", port: 81, nodePort: 30001 },
    ],
  });
  const [udp, tcp, http, asked] = (spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0);
  expect([udp === tcp, udp === http, asked]).toEqual([true, false, 30001]);
  expect(Math.min(udp ?? 0, http ?? 0)).toBeGreaterThanOrEqual(30086);
  expect(await ports()).toEqual([30001, ...[udp, http].sort()]);
  await remove("dns");
  expect(await ports()).toEqual([]);
});

test("node ports are allocated from the configured range until it is full", async () => {
  const { tryCreate } = await serviceServer({ nodePortRange: { first: 40000, last: 40001 } });
  const spec = { type: "NodePort" };
  expect([
    await tryCreate("a", spec),
    await tryCreate("b", spec),
    await tryCreate("c", spec),
  ]).toEqual([
    "201",
    "201",
    "500 Internal error occurred: failed to allocate a nodePort: range is full",
  ]);
  const health = {
    type: "LoadBalancer",
    externalTrafficPolicy: "Local",
    allocateLoadBalancerNodePorts: false,
  };
  expect(await tryCreate("d", health)).toEqual(
    "500 Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full",
  );
});

test("a change of type allocates and releases node ports", async () => {
  const { create, patch, ports } = await serviceServer();
  await create("web");
  expect(await ports()).toEqual([]);
  const load = patched(
    await patch("web", { type: "LoadBalancer", externalTrafficPolicy: "Local" }),
  );
  const { healthCheckNodePort = 0, ports: [port] = [] } = load.spec;
  expect(await ports()).toEqual([port?.nodePort ?? 0, healthCheckNodePort].sort());
  const spread = patched(await patch("web", { externalTrafficPolicy: "Cluster" }));
  expect([spread.spec.healthCheckNodePort, await ports()]).toEqual([undefined, [port?.nodePort]]);
  patched(await patch("web", { type: "ClusterIP" }));
  expect(await ports()).toEqual([]);
});

test("an update keeps the node ports of a service, and changes those that it requests", async () => {
  const { create, patch, ports } = await serviceServer();
  const before = await create("web", { type: "NodePort", ports: [{ name: "a", port: 80 }] });
  const kept = before.spec.ports?.[0]?.nodePort ?? 0;
  const more = [
    { name: "a", port: 80 },
    { name: "b", port: 81 },
  ];
  const after = patched(await patch("web", { ports: more }));
  const [first, second] = (after.spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0);
  expect([after.spec.clusterIP, first]).toEqual([before.spec.clusterIP, kept]);
  expect(await ports()).toEqual([kept, second].sort());
  patched(await patch("web", { ports: [{ name: "a", port: 80, nodePort: 30005 }] }));
  expect(await ports()).toEqual([30005]);
});

test("an update that requests one node port twice fails as upstream does", async () => {
  const { create, patch } = await serviceServer();
  await create("web", { type: "NodePort", ports: [{ name: "a", port: 80, nodePort: 30005 }] });
  const twice = [
    { name: "a", port: 80, nodePort: 30005 },
    { name: "b", port: 81, nodePort: 30005 },
  ];
  expect(await patch("web", { ports: twice })).toBe("500 duplicate nodePort: {TCP 30005}");
});
