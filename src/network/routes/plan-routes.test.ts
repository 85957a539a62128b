import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import { formatCidr, parseCidr } from "../../schema/values/ip.ts";
import { flannelAnnotations } from "./flannel-annotations.ts";
import type { InterfaceRow } from "./own-network.ts";
import { planRoutes } from "./plan-routes.ts";

interface Change {
  readonly name?: string;
  readonly ranges?: readonly string[];
  readonly addresses?: readonly string[];
  readonly annotations?: Readonly<Record<string, string | null>>;
}

const node = ({
  name = "b",
  ranges = ["10.244.2.0/24"],
  addresses = ["192.0.2.2"],
  annotations = {},
}: Change = {}): Node =>
  ({
    metadata: { name, annotations },
    spec: { podCIDR: ranges[0], podCIDRs: ranges },
    status: { addresses: addresses.map((address) => ({ type: "InternalIP", address })) },
  }) as unknown as Node;

const row = (
  ifname: string,
  local: string,
  prefixlen: number,
  more: InterfaceRow = {},
): InterfaceRow => ({
  ...{ ifname, addr_info: [{ local, prefixlen, scope: "global" }], ...more },
});
const interfaces: readonly InterfaceRow[] = [
  row("lo", "192.0.2.0", 16),
  row("eth0", "192.0.2.1", 24),
  row("eth0", "2001:db8::1", 64),
  row("eth1", "192.0.2.129", 25),
  row("wg0", "203.0.113.1", 32),
  row("flannel.1", "198.51.100.0", 24, { linkinfo: { info_kind: "vxlan" } }),
];
const self = node({
  name: "a",
  ranges: ["10.244.1.0/24", "fd00:1::/64"],
  addresses: ["192.0.2.1"],
});
const plan = (...others: readonly Node[]) =>
  planRoutes({ nodeName: "a", nodes: [...others, self], interfaces });

const mac = "02:00:00:00:00:07";
const ours = flannelAnnotations(new Map([[4, { mac, to: "198.51.100.2" }]]));
const flannels: Readonly<Record<string, string>> = {
  "flannel.alpha.coreos.com/backend-type": "vxlan",
  "flannel.alpha.coreos.com/backend-data": `{"VNI":1,"VtepMAC":"${mac.toUpperCase()}"}`,
  "flannel.alpha.coreos.com/public-ip": "192.0.2.2",
};

each<[what: string, node: Node, ways: readonly string[]]>([
  ["a node on a link", node(), ["10.244.2.0/24 via 192.0.2.2 eth0"]],
  [
    "the narrowest of two links",
    node({ addresses: ["192.0.2.130"] }),
    ["10.244.2.0/24 via 192.0.2.130 eth1"],
  ],
  [
    "each range by the address of its family",
    node({ ranges: ["10.244.2.0/24", "fd00:2::/64"], addresses: ["192.0.2.2", "2001:db8::2"] }),
    ["10.244.2.0/24 via 192.0.2.2 eth0", "fd00:2::/64 via 2001:db8::2 eth0"],
  ],
  [
    "one of ours behind a router",
    node({ addresses: ["198.51.100.2"], annotations: ours }),
    [`10.244.2.0/24 tunnel 198.51.100.2 ${mac}`],
  ],
  ["one of ours on a link", node({ annotations: ours }), ["10.244.2.0/24 via 192.0.2.2 eth0"]],
  [
    "one of flannel expects packets from the tunnel, also on a link",
    node({ annotations: flannels }),
    [`10.244.2.0/24 tunnel 192.0.2.2 ${mac}`],
  ],
  [
    "one of flannel may have another public address",
    node({
      annotations: { ...flannels, "flannel.alpha.coreos.com/public-ip-overwrite": "203.0.113.7" },
    }),
    [`10.244.2.0/24 tunnel 203.0.113.7 ${mac}`],
  ],
  [
    "flannel without tunnels, on a link",
    node({ annotations: { "flannel.alpha.coreos.com/backend-type": "host-gw" } }),
    ["10.244.2.0/24 via 192.0.2.2 eth0"],
  ],
  [
    "flannel without tunnels, behind a router",
    node({
      addresses: ["198.51.100.2"],
      annotations: { "flannel.alpha.coreos.com/backend-type": "host-gw" },
    }),
    ["unreachable: routers are between, and its network is host-gw"],
  ],
  [
    "one that says nothing, behind a router",
    node({ addresses: ["203.0.113.2"] }),
    ["unreachable: routers are between, and it has not announced its end of a tunnel"],
  ],
  [
    "data that is no hardware address of this network",
    node({
      annotations: {
        ...flannels,
        "flannel.alpha.coreos.com/backend-data": `{"VNI":2,"VtepMAC":"${mac}"}`,
      },
    }),
    ["unreachable: routers are between, and its network is vxlan"],
  ],
  [
    "data that would be another command",
    node({
      annotations: {
        ...flannels,
        "flannel.alpha.coreos.com/backend-data": `{"VNI":1,"VtepMAC":"${mac} x\\n"}`,
      },
    }),
    ["unreachable: routers are between, and its network is vxlan"],
  ],
  [
    "a range of this node",
    node({ ranges: ["10.244.1.128/25"] }),
    ["unreachable: its range 10.244.1.128/25 overlaps that of another node"],
  ],
  [
    "a range with this node in it",
    node({ ranges: ["192.0.0.0/16"] }),
    ["unreachable: its range 192.0.0.0/16 overlaps that of another node"],
  ],
  ["all addresses there are", node({ ranges: ["0.0.0.0/0"] }), []],
  ["one without a range", node({ ranges: [] }), []],
])("planRoutes: %s", (_, other, ways) => {
  const { routes, unreachable } = plan(other);
  const texts = routes.map((route) =>
    "via" in route
      ? `${formatCidr(route.range)} via ${route.via} ${route.device}`
      : `${formatCidr(route.range)} tunnel ${route.tunnel.to} ${route.tunnel.mac}`,
  );
  expect([...texts, ...unreachable.map(({ reason }) => `unreachable: ${reason}`)]).toEqual(ways);
});

test("planRoutes: pods keep their addresses to all pods, and to nodes on a link", () => {
  const far = node({ name: "c", ranges: ["10.244.3.0/24"], addresses: ["198.51.100.2"] });
  expect(plan(node(), far).inside.map(formatCidr)).toEqual([
    ...["10.244.1.0/24", "fd00:1::/64", "192.0.2.1/32"],
    ...["192.0.2.2/32", "10.244.2.0/24", "10.244.3.0/24"],
  ]);
});

test("planRoutes: of two nodes with one range, the first by name has it", () => {
  const { routes } = plan(node({ name: "d", addresses: ["192.0.2.4"] }), node({ name: "c" }));
  expect(routes.map((route) => route.node)).toEqual(["c"]);
});

test("planRoutes: others route to the pods of some nodes; the rest is reached through tunnels, if it announces them", () => {
  const routedNodes = ["192.0.2.0/25", "2001:db8::/64"].flatMap((one) => parseCidr(one) ?? []);
  const box = node();
  const joined = node({ name: "c", ranges: ["10.244.3.0/24"], addresses: ["198.51.100.2"] });
  const far = { ...joined, metadata: { name: "c", annotations: ours } } as unknown as Node;
  const simulated = node({ name: "d", ranges: ["10.244.4.0/24"], addresses: ["203.0.113.4"] });
  const impostor = { ...far, metadata: { ...far.metadata, name: "e" }, spec: box.spec };
  const { routes, unreachable } = planRoutes({
    ...{ nodeName: "a", nodes: [box, far, simulated, impostor, self], interfaces, routedNodes },
  });
  expect(routes).toMatchObject([{ node: "c", tunnel: { mac, to: "198.51.100.2" } }]);
  expect(unreachable).toEqual([
    { node: "e", reason: "its range 10.244.2.0/24 overlaps that of another node" },
  ]);
});
