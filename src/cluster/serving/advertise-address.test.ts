import { expect, test } from "vitest";
import { advertiseAddress, localAddress } from "./advertise-address.ts";

const connected = (family = "IPv4") => (family === "IPv4" ? "192.0.2.7" : "2001:db8::7");
const alone = () => undefined;

test.each([
  ["192.0.2.9", connected, "192.0.2.9"],
  ["0.0.0.0", connected, "192.0.2.7"],
  ["127.0.0.1", connected, "192.0.2.7"],
  ["::", connected, "192.0.2.7"],
  ["::1", connected, "2001:db8::7"],
  ["0.0.0.0", alone, "127.0.0.1"],
  ["::1", alone, "::1"],
])("advertiseAddress: listening on %s of a machine with %o advertises %s", (...row) => {
  const [host, addressOf, expected] = row;
  expect(advertiseAddress(host, addressOf)).toBe(expected);
});

test("advertiseAddress: finds an address of this machine", () => {
  expect(advertiseAddress("0.0.0.0")).toMatch(/^[\d.]+$|:/);
});

test("localAddress: is the address for a client on the same machine", () => {
  expect([localAddress("0.0.0.0"), localAddress("::1")]).toEqual(["127.0.0.1", "::1"]);
});
