import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { advertiseAddress, hostPort, localAddress } from "./advertise-address.ts";

const at = (family: "IPv4" | "IPv6", address: string, internal = false) =>
  ({ family, address, internal }) as NetworkInterfaceInfo;
const machine = {
  lo: [at("IPv4", "127.0.0.1", true), at("IPv6", "::1", true)],
  eth0: [at("IPv6", "fe80::1"), at("IPv4", "192.0.2.7"), at("IPv6", "2001:db8::7")],
};

test.each([
  ["192.0.2.9", machine, "192.0.2.9"],
  ["0.0.0.0", machine, "192.0.2.7"],
  ["127.0.0.1", machine, "192.0.2.7"],
  ["::", machine, "192.0.2.7"],
  ["::1", machine, "2001:db8::7"],
  ["0.0.0.0", { lo: machine.lo }, "127.0.0.1"],
  ["::1", { lo: machine.lo }, "::1"],
])("advertiseAddress: who listens on %s of %j is found at %s", (host, interfaces, expected) => {
  expect(advertiseAddress(host, interfaces)).toBe(expected);
});

test("advertiseAddress: a machine has some address", () => {
  expect(advertiseAddress("0.0.0.0", networkInterfaces())).toMatch(/^[\d.]+$|:/);
});

test("localAddress, hostPort: as a client on the machine writes it", () => {
  expect([localAddress("0.0.0.0"), localAddress("::1")]).toEqual(["127.0.0.1", "::1"]);
  expect([hostPort("10.0.0.1", 1), hostPort("::1", 2)]).toEqual(["10.0.0.1:1", "[::1]:2"]);
});
