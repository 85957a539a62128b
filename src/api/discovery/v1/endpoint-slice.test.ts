import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, updated, warningsOf } from "../../kind.test-support.ts";
import { write } from "../../write.test-support.ts";
import { EndpointSlice } from "./endpoint-slice.ts";

const slice = (endpoint: object, addressType = "IPv4") => ({
  addressType,
  endpoints: [{ addresses: ["10.0.0.1"], ...endpoint }],
});
const addresses = (type: string, ...list: readonly string[]) => slice({ addresses: list }, type);
const ports = (...list: readonly object[]) => ({ addressType: "IPv4", ports: list });
const at = "endpoints[0]";
const names = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `z${i}` }));

each<[rule: string, body: object, errors: readonly string[]]>([
  ["an empty slice is fine", { addressType: "IPv6" }, []],
  ["a slice has a type of addresses", {}, ["addressType: Required value"]],
  [
    "an address is of the family that the slice says",
    addresses("IPv4", "2001:db8::1"),
    [`${at}.addresses: Invalid value: "2001:db8::1": must be an IPv4 address`],
  ],
  [
    "an IPv6 address is in canonical form",
    addresses("IPv6", "2001:DB8::1"),
    [`${at}.addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")`],
  ],
  [
    "an address is none with a special meaning",
    addresses("IPv6", "::1"),
    [
      `${at}.addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)`,
    ],
  ],
  [
    "a domain has two labels at least",
    addresses("FQDN", "a.b.", "a", ""),
    [
      `${at}.addresses[1]: Invalid value: "a": should be a domain with at least two segments separated by dots`,
      `${at}.addresses[2]: Required value`,
    ],
  ],
  [
    "an endpoint has an address",
    slice({ addresses: [] }),
    [`${at}.addresses: Required value: must contain at least 1 address`],
  ],
  [
    "an endpoint has not too many addresses",
    addresses("FQDN", ...Array.from({ length: 101 }, () => "a.b")),
    [`${at}.addresses: Too many: 101: must have at most 100 items`],
  ],
  [
    "a slice has not too many endpoints",
    {
      addressType: "FQDN",
      endpoints: Array.from({ length: 1001 }, () => ({ addresses: [""] })),
    },
    ["endpoints: Too many: 1001: must have at most 1000 items"],
  ],
  [
    "each zone is hinted at once",
    slice({ hints: { forZones: [{ name: "z" }, { name: "z" }] } }),
    [`${at}.hints.forZones[1].name: Duplicate value: "z"`],
  ],
  [
    "with too many zones the nodes are not looked at",
    slice({ hints: { forZones: names(9), forNodes: names(9) } }),
    [`${at}.hints.forZones: Too many: 9: must have at most 8 items`],
  ],
  [
    "without a name there is one port",
    ports({ port: 1 }, { port: 2 }),
    ['ports[1].name: Duplicate value: ""'],
  ],
  [
    "protocols are those of services, and what is spoken on them has a qualified name",
    ports({ protocol: "", appProtocol: "/" }),
    [
      'ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"',
      expect.stringContaining('ports[0].appProtocol: Invalid value: "/": prefix part must be'),
      expect.stringContaining('ports[0].appProtocol: Invalid value: "/": name part must be'),
      expect.stringContaining('ports[0].appProtocol: Invalid value: "/": name part must consist'),
    ],
  ],
])("EndpointSlice: %s", (_, body, errors) => {
  expect(created(EndpointSlice, body)).toEqual(errors);
});

test("EndpointSlice: endpoints that are not touched stay valid, and the type stays", () => {
  const old = addresses("IPv4", "127.0.0.1");
  expect([
    updated(EndpointSlice, old, { ...old, ports: [{}] }),
    updated(EndpointSlice, old, addresses("IPv4", "127.0.0.2")).length,
    updated(EndpointSlice, old, { ...old, addressType: "FQDN" }),
  ]).toEqual([[], 1, ['addressType: Invalid value: "FQDN": field is immutable']]);
});

test("EndpointSlice: its generation counts labels, but no annotations", () => {
  const old = read(EndpointSlice, { metadata: { generation: 3 }, ...slice({}) });
  const generation = (metadata: object, body: object) => {
    const changed = read(EndpointSlice, { metadata: { generation: 3, ...metadata }, ...body });
    EndpointSlice.strategy.prepareUpdate?.(changed as never, old as never, write);
    return changed.metadata.generation;
  };
  expect([
    generation({ annotations: { a: "b" } }, slice({})),
    generation({ labels: { a: "b" } }, slice({})),
    generation({}, slice({ zone: "z" })),
  ]).toEqual([3, 4, 4]);
});

test("EndpointSlice: the topology of old goes, but for the name of a node that it had before", () => {
  const topology = (node: string) => ({ "kubernetes.io/hostname": node });
  const old = read(EndpointSlice, slice({ deprecatedTopology: topology("n1") }));
  const changed = read(EndpointSlice, {
    addressType: "IPv4",
    endpoints: ["n1", "n2"].map((node) => ({ deprecatedTopology: topology(node) })),
  });
  EndpointSlice.strategy.prepareUpdate?.(changed as never, old as never, write);
  expect(
    changed.endpoints.map(({ nodeName, deprecatedTopology }) => [nodeName, deprecatedTopology]),
  ).toEqual([
    ["n1", undefined],
    [undefined, undefined],
  ]);
});

test("EndpointSlice: domains are warned of at first, odd addresses always", () => {
  const domains = addresses("FQDN", "a.b");
  const odd = addresses("IPv4", "010.0.0.1");
  const labels = { "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" };
  expect([
    warningsOf(EndpointSlice, domains),
    warningsOf(EndpointSlice, domains, domains),
    warningsOf(EndpointSlice, odd, odd).length,
    warningsOf(EndpointSlice, { metadata: { labels }, ...odd }),
  ]).toEqual([["spec.addressType: FQDN endpoints are deprecated"], [], 1, []]);
});

test("EndpointSlice: a row shows three ports and three addresses", () => {
  const body = {
    addressType: "IPv4",
    ports: [{ port: 1 }, { name: "any" }, { port: 3, name: "c" }, { name: "d" }],
    endpoints: [{ addresses: ["a", "b"] }, { addresses: ["c", "d", "e"] }],
  };
  expect([cellsOf(EndpointSlice, body), cellsOf(EndpointSlice, { addressType: "IPv6" })]).toEqual([
    ["IPv4", "1,any,3 + 1 more...", "a,b,c + 2 more..."],
    ["IPv6", "<unset>", "<unset>"],
  ]);
});
