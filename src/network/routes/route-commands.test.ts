import { expect, test } from "vitest";
import { type Cidr, parseCidr } from "../../schema/values/ip.ts";
import type { NodeRoute } from "./plan-routes.ts";
import { type FoundRoutes, type OwnTunnel, routeCommands } from "./route-commands.ts";
import { matters } from "./watch-links.ts";

const cidr = (text: string): Cidr => parseCidr(text) ?? { ip: { version: 4, bits: 0n }, prefix: 0 };
const own = [cidr("10.244.1.0/24")];
const nothing: FoundRoutes = { interfaces: [], routes: [], neighbours: [], forwarding: [] };
const tunnel: OwnTunnel = { mac: "02:00:00:00:00:01", to: "192.0.2.1", device: "eth0", mtu: 1500 };
const tunnels = new Map([[4, tunnel]] as const);
const peer: NodeRoute = {
  ...{ node: "b", range: cidr("10.244.2.0/24") },
  tunnel: { mac: "02:00:00:00:00:02", to: "198.51.100.2" },
};
const device = {
  ...{ ifname: "flannel.1", address: tunnel.mac, mtu: 1450, flags: ["UP"], ifalias: "wherry" },
  linkinfo: { info_kind: "vxlan", info_data: { id: 1, local: "192.0.2.1", port: 8472 } },
  addr_info: [{ local: "10.244.1.0", prefixlen: 32, scope: "global" }],
};
const peerCommands = [
  "addr replace 10.244.1.0/32 dev flannel.1",
  "neigh replace 10.244.2.0 lladdr 02:00:00:00:00:02 dev flannel.1 nud permanent",
];
const peerRoute = "route replace 10.244.2.0/24 via 10.244.2.0 dev flannel.1 onlink proto 88";

test("routeCommands: a plain route, and routes of nodes that are gone", () => {
  const route: NodeRoute = {
    node: "b",
    range: cidr("fd00:2::/64"),
    via: "2001:db8::2",
    device: "eth0",
  };
  const found = {
    ...nothing,
    routes: [{ dst: "10.244.9.0/24" }, { dst: "fd00:2::/64" }, { dst: "10.244.9.1" }],
  };
  expect(routeCommands({ own, routes: [route] }, tunnels, found)).toEqual({
    ip: [
      "route del 10.244.9.0/24 proto 88",
      "route del 10.244.9.1 proto 88",
      "route replace fd00:2::/64 via 2001:db8::2 dev eth0 proto 88",
    ],
    bridge: [],
  });
});

test("routeCommands: the first node behind a router makes the tunnel", () => {
  expect(routeCommands({ own, routes: [peer] }, tunnels, nothing)).toEqual({
    ip: [
      "link add flannel.1 type vxlan id 1 local 192.0.2.1 dev eth0 dstport 8472 nolearning",
      "link set flannel.1 address 02:00:00:00:00:01 mtu 1450 alias wherry up",
      ...peerCommands,
      peerRoute,
    ],
    bridge: ["fdb replace 02:00:00:00:00:02 dev flannel.1 dst 198.51.100.2 self permanent"],
  });
});

test("routeCommands: a tunnel that is there loses what led to others", () => {
  const found = {
    ...{ interfaces: [device], routes: [{ dst: "10.244.2.0/24" }] },
    neighbours: [
      { dst: "10.244.2.0", dev: "flannel.1" },
      { dst: "10.244.3.0", dev: "flannel.1" },
      { dst: "10.244.1.5", dev: "veth12345678" },
    ],
    forwarding: [{ mac: "02:00:00:00:00:03", dst: "192.0.2.9", ifname: "flannel.1" }],
  };
  const { ip, bridge } = routeCommands({ own, routes: [peer] }, tunnels, found);
  expect(ip).toEqual([...peerCommands, "neigh del 10.244.3.0 dev flannel.1", peerRoute]);
  expect(bridge[1]).toBe("fdb del 02:00:00:00:00:03 dev flannel.1 dst 192.0.2.9 self");
});

test("routeCommands: a device of another address is made anew, and one of flannel's is not removed", () => {
  const moved = new Map([[4, { ...tunnel, to: "192.0.2.8" }]] as const);
  const found = { ...nothing, interfaces: [device] };
  expect(routeCommands({ own, routes: [peer] }, moved, found).ip[0]).toBe(
    "link delete dev flannel.1",
  );
  expect(routeCommands({ own, routes: [] }, tunnels, found).ip).toEqual([
    "link delete dev flannel.1",
  ]);
  const flannels = { ...nothing, interfaces: [{ ...device, ifalias: "" }] };
  expect(routeCommands({ own, routes: [] }, tunnels, flannels).ip).toEqual([]);
});

test("watchLinks: interfaces of pods do not matter", () => {
  expect(matters("5: veth0123456789a@if2: <BROADCAST> mtu 1500")).toBe(false);
  expect(matters("Deleted 5: veth0123456789a@NONE: <BROADCAST>")).toBe(false);
  expect(matters("2: eth0    inet 192.0.2.1/24 scope global eth0")).toBe(true);
  expect(matters("")).toBe(false);
});
