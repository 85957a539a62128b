import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import type { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { blockingAddress, overlap } from "./blocking-addresses.ts";

const range = (name: string, ...cidrs: string[]): ServiceCIDR => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name },
  spec: { cidrs },
  status: {},
});
const address = (name: string, managedBy = "ipallocator.k8s.io"): IPAddress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  metadata: { name, labels: { "ipaddress.kubernetes.io/managed-by": managedBy } },
  spec: { parentRef: { resource: "services", namespace: "a", name: "b" } },
});

const own = range("own", "10.0.0.0/24", "fd00::/112");
each<[title: string, others: ServiceCIDR[], addresses: IPAddress[], blocking: string | undefined]>([
  ["nothing blocks a range without addresses", [], [], undefined],
  ["an address of the range does", [], [address("10.0.1.1"), address("10.0.0.1")], "10.0.0.1"],
  ["an address of the second network does", [], [address("fd00::5")], "fd00::5"],
  ["an address outside does not", [], [address("10.0.1.1"), address("fd01::1")], undefined],
  ["an address of another manager does not", [], [address("10.0.0.1", "me")], undefined],
  ["the network's own address does not", [], [address("10.0.0.0")], undefined],
  ["the broadcast address does not", [], [address("10.0.0.255")], undefined],
  ["the last address of IPv6 does", [], [address("fd00::ffff")], "fd00::ffff"],
  [
    "an address in another range does not",
    [range("small", "10.0.0.0/28")],
    [address("10.0.0.3")],
    undefined,
  ],
  [
    "an address that another range cannot give does",
    [range("small", "10.0.0.0/28")],
    [address("10.0.0.3"), address("10.0.0.15")],
    "10.0.0.15",
  ],
  [
    "nothing blocks a range whose networks are in others",
    [range("v4", "10.0.0.0/16"), range("v6", "fd00::/112")],
    [address("10.0.0.1"), address("fd00::1")],
    undefined,
  ],
  [
    "one of two networks in others is not enough",
    [range("v4", "10.0.0.0/16")],
    [address("10.0.0.1"), address("fd00::1")],
    "fd00::1",
  ],
])("blockingAddress: %s", (_title, others, addresses, blocking) => {
  expect(blockingAddress(own, [own, ...others], addresses)?.metadata.name).toBe(blocking);
});

each<[a: string, b: string, is: boolean]>([
  ["10.0.0.0/24", "10.0.0.128/25", true],
  ["10.0.0.128/25", "10.0.0.0/24", true],
  ["10.0.0.0/24", "10.0.1.0/24", false],
  ["10.0.0.0/8", "fd00::/64", false],
])("overlap: %s and %s: %s", (a, b, is) => {
  expect(overlap(range("a", a), range("b", b))).toBe(is);
});
