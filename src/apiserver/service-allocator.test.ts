import { expect, test } from "vitest";
import type { ServiceBody, ServiceDraft } from "../api/core/v1/service-spec.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { SeededRandom } from "../base/random.ts";
import { coreKind, openRegistry, type TestRegistry, write } from "./registry.test-support.ts";
import { ServiceAllocator } from "./service-allocator.ts";

const kind = coreKind("Service");

function allocator(
  { cache }: TestRegistry,
  range = "10.0.0.0/24",
  ports?: { first: number; last: number },
) {
  const random = new SeededRandom(3);
  return new ServiceAllocator({ cache, kind, random, range, ...(ports && { ports }) });
}
const service = (spec: object): ServiceDraft =>
  ({ metadata: { name: "s" }, spec: { type: "ClusterIP", ...spec } }) as unknown as ServiceDraft;
const refused = (run: () => unknown): string => {
  try {
    run();
    return "accepted";
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    return `${error.code} ${error.message}`;
  }
};

test("ServiceAllocator: a service gets an address of the range, in all its places", async () => {
  const draft = service({ ports: [{ port: 80 }] });
  allocator(await openRegistry()).begin(draft, undefined);
  expect(draft.spec).toEqual({
    type: "ClusterIP",
    ports: [{ port: 80 }],
    clusterIP: expect.stringMatching(/^10\.0\.0\.\d+$/),
    clusterIPs: [draft.spec.clusterIP],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
  });
});

test("ServiceAllocator: every address is given once, the first and the last never", async () => {
  const addresses = allocator(await openRegistry(), "10.0.0.0/28");
  const given: (string | undefined)[] = [];
  for (let n = 0; n < 13; n++) {
    const draft = service({});
    addresses.begin(draft, undefined);
    given.push(draft.spec.clusterIP);
  }
  const all = Array.from({ length: 13 }, (_, n) => `10.0.0.${n + 2}`);
  expect([...given].sort()).toEqual([...all].sort());
  expect(refused(() => addresses.begin(service({}), undefined))).toEqual(
    '500 Internal error occurred: failed to allocate a serviceIP for Service "s": range is full',
  );
});

test("ServiceAllocator: what is given up can be given again, what is stored cannot", async () => {
  const registry = await openRegistry();
  const addresses = allocator(registry);
  const ask = () => addresses.begin(service({ clusterIP: "10.0.0.9" }), undefined);
  const taken =
    '422 Service "s" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.9"]: failed to allocate IP 10.0.0.9: provided IP is already allocated';
  const release = ask();
  expect(refused(ask)).toEqual(taken);
  release();
  const again = ask();
  await write(registry, kind, "s", { spec: { clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"] } });
  again();
  expect(refused(ask)).toEqual(taken);
});

test.each([
  [
    "an address of another network",
    { clusterIP: "10.0.1.1" },
    '422 Service "s" is invalid: spec.clusterIPs: Invalid value: ["10.0.1.1"]: failed to allocate IP 10.0.1.1: the provided network does not match the current range',
  ],
  [
    "the address of the server itself",
    { clusterIP: "10.0.0.1" },
    '422 Service "s" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: provided IP is already allocated',
  ],
  [
    "a port out of range",
    { type: "NodePort", ports: [{ port: 1, nodePort: 80 }] },
    '422 Service "s" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
  ],
])("ServiceAllocator: %s is refused, and nothing is kept of it", async (_, spec, wanted) => {
  const addresses = allocator(await openRegistry());
  expect(refused(() => addresses.begin(service(spec), undefined))).toEqual(wanted);
});

test("ServiceAllocator: what was reserved for a service that is refused is free again", async () => {
  const addresses = allocator(await openRegistry());
  const bad = { clusterIP: "10.0.0.9", type: "NodePort", ports: [{ port: 1, nodePort: 80 }] };
  expect(refused(() => addresses.begin(service(bad), undefined))).toMatch(/^422 /);
  expect(refused(() => addresses.begin(service({ clusterIP: "10.0.0.9" }), undefined))).toEqual(
    "accepted",
  );
});

test.each([
  ["headless", { clusterIP: "None" }, { clusterIP: "None", clusterIPs: ["None"] }],
  [
    "external",
    { type: "ExternalName", externalName: "x" },
    { clusterIP: undefined, clusterIPs: undefined },
  ],
])("ServiceAllocator: a service that is %s gets no address", async (_, spec, wanted) => {
  const draft = service(spec);
  allocator(await openRegistry()).begin(draft, undefined);
  expect({ clusterIP: draft.spec.clusterIP, clusterIPs: draft.spec.clusterIPs }).toEqual(wanted);
});

test("ServiceAllocator: ports of one number share a node port, others have their own", async () => {
  const draft = service({
    type: "NodePort",
    ports: [
      { port: 53, protocol: "UDP" },
      { port: 53, protocol: "TCP" },
      { port: 80 },
      { port: 81, nodePort: 30001 },
    ],
  });
  allocator(await openRegistry()).begin(draft, undefined);
  const [udp, tcp, http, asked] = (draft.spec.ports ?? []).map(({ nodePort }) => nodePort);
  expect([udp === tcp, udp === http, asked]).toEqual([true, false, 30001]);
  expect(Number(udp)).toBeGreaterThanOrEqual(30000);
});

test("ServiceAllocator: a node port is given once", async () => {
  const ports = allocator(await openRegistry(), "10.0.0.0/24", { first: 30000, last: 30001 });
  const ask = (nodePort?: number) =>
    ports.begin(
      service({ type: "NodePort", ports: [{ port: 1, ...(nodePort && { nodePort }) }] }),
      undefined,
    );
  ask(30000);
  expect(refused(() => ask(30000))).toEqual(
    '422 Service "s" is invalid: spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated',
  );
  ask();
  expect(refused(() => ask())).toEqual(
    "500 Internal error occurred: failed to allocate a nodePort: range is full",
  );
});

test("ServiceAllocator: a load balancer that keeps to its nodes has a port for health checks", async () => {
  const draft = service({
    type: "LoadBalancer",
    externalTrafficPolicy: "Local",
    ports: [{ port: 1 }],
  });
  allocator(await openRegistry()).begin(draft, undefined);
  expect(draft.spec.healthCheckNodePort).toBeGreaterThanOrEqual(30000);
});

test("ServiceAllocator: an update keeps what the service has", async () => {
  const registry = await openRegistry();
  const addresses = allocator(registry);
  const first = service({ type: "NodePort", ports: [{ name: "a", port: 80 }] });
  const release = addresses.begin(first, undefined);
  await write(registry, kind, "s", { spec: first.spec });
  release();
  const update = service({
    type: "NodePort",
    ports: [
      { name: "a", port: 80 },
      { name: "b", port: 81 },
    ],
  });
  addresses.begin(update, first as unknown as ServiceBody);
  const [kept, added] = update.spec.ports ?? [];
  expect([update.spec.clusterIP, kept?.nodePort]).toEqual([
    first.spec.clusterIP,
    first.spec.ports?.[0]?.nodePort,
  ]);
  expect(added?.nodePort).not.toEqual(kept?.nodePort);
});

test("ServiceAllocator: ranges of IPv6 are used as well, and what is no range is refused", async () => {
  const registry = await openRegistry();
  const draft = service({});
  allocator(registry, "fd00::/112").begin(draft, undefined);
  expect([draft.spec.ipFamilies, draft.spec.clusterIP]).toEqual([
    ["IPv6"],
    expect.stringMatching(/^fd00::[0-9a-f]+$/),
  ]);
  expect(() => allocator(registry, "10.0.0.0")).toThrow(
    "10.0.0.0 is not a range of addresses like 10.0.0.0/24",
  );
});
