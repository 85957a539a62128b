import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { each } from "../../test/each.ts";
import { chooseHostAddress, hostAddress } from "./host-address.ts";

const at = (address: string, internal = false): NetworkInterfaceInfo =>
  ({
    address,
    internal,
    family: address.includes(":") ? "IPv6" : "IPv4",
    netmask: "",
    mac: "",
    cidr: null,
    ...(address.includes(":") ? { scopeid: 0 } : {}),
  }) as NetworkInterfaceInfo;

const routes = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
br0	0000A8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
eth1	00000000	0102A8C0	0003	0	0	0	00000000	0	0	0
`;
const lo = [at("127.0.0.1", true), at("::1", true)];

type Row = [
  rule: string,
  interfaces: Record<string, NetworkInterfaceInfo[]>,
  routes: string,
  expected: string | undefined,
];
each<Row>([
  [
    "the interface of the default route",
    { lo, br0: [at("192.0.2.1")], eth1: [at("192.0.2.2")] },
    routes,
    "192.0.2.2",
  ],
  ["any address without a default route", { lo, br0: [at("192.0.2.1")] }, "", "192.0.2.1"],
  ["IPv4 first", { lo, eth1: [at("2001:db8::1"), at("192.0.2.2")] }, routes, "192.0.2.2"],
  [
    "IPv6 where there is no other",
    { lo, eth1: [at("fe80::1"), at("2001:db8::1")] },
    routes,
    "2001:db8::1",
  ],
  ["none on a machine without a network", { lo, eth1: [at("169.254.3.4")] }, routes, undefined],
])("the address of a host: %s", (_, interfaces, given, expected) => {
  expect(chooseHostAddress(interfaces, given)).toEqual(expected);
});

test("the address of a host: this machine's is not a loopback address", async () => {
  expect(await hostAddress()).not.toMatch(/^127\./);
});
