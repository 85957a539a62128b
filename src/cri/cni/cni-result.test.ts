import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { addressesOf, type CniResult, readResult, writeResult } from "./cni-result.ts";
import { cniVersions, isAtLeast } from "./cni-version.ts";

const result: CniResult = {
  interfaces: [{ name: "br0" }, { name: "eth0", mac: "02:00:00:00:00:01", sandbox: "/ns" }],
  ips: [
    { address: "fd00::2/64", gateway: "fd00::1", interface: 1 },
    { address: "10.0.0.2/24", gateway: "10.0.0.1", interface: 1 },
  ],
  routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0", gw: "fd00::1" }],
  dns: { nameservers: ["10.0.0.1"] },
};

each<[string, object]>([
  [
    "0.2.0",
    {
      cniVersion: "0.2.0",
      ip4: { ip: "10.0.0.2/24", gateway: "10.0.0.1", routes: [{ dst: "0.0.0.0/0" }] },
      ip6: { ip: "fd00::2/64", gateway: "fd00::1", routes: [{ dst: "::/0", gw: "fd00::1" }] },
      dns: result.dns,
    },
  ],
  [
    "0.4.0",
    {
      ...{ cniVersion: "0.4.0", ...result },
      ips: result.ips.map((one, i) => ({ version: i === 0 ? "6" : "4", ...one })),
    },
  ],
  ["1.0.0", { cniVersion: "1.0.0", ...result }],
])("writeResult: %s", (version, written) => {
  expect(writeResult(result, version)).toEqual(written);
});

test("readResult: reads what writeResult writes, in each version", () => {
  for (const version of cniVersions) {
    const read = readResult(writeResult(result, version), "0.1.0");
    const expected = isAtLeast(version, "0.3.0")
      ? result
      : {
          ...{ interfaces: [], dns: result.dns, routes: result.routes },
          ips: result.ips.map(({ address, gateway }) => ({ address, gateway })).reverse(),
        };
    expect(read).toEqual(expected);
  }
});

each<[string, unknown, string]>([
  ["no object", [], "invalid result; it is not an object"],
  ["a version to come", { cniVersion: "2.0.0" }, 'unsupported CNI result version "2.0.0"'],
  ["ips is no list", { ips: {} }, "invalid result; ips is not a list"],
  [
    "no prefix",
    { ips: [{ address: "10.0.0.2" }] },
    "invalid result; an address is not one with the length of its prefix",
  ],
])("readResult: %s", (_, value, problem) => {
  expect(() => readResult(value, "1.0.0")).toThrow(problem);
});

test("writeResult: the oldest versions cannot say that there is no address", () => {
  expect(() => writeResult({ ...result, ips: [] }, "0.2.0")).toThrow("no valid IP addresses");
});

test("addressesOf: those of the pod's interface, IPv4 first", () => {
  expect(addressesOf(result, "eth0")).toEqual(["10.0.0.2", "fd00::2"]);
  expect(addressesOf(result, "net1")).toEqual([]);
  expect(addressesOf({ ...result, ips: [{ address: "10.0.0.9/8" }] }, "eth0")).toEqual([
    "10.0.0.9",
  ]);
  const ofNode = [{ address: "10.0.0.1/24", interface: 0 }];
  expect(addressesOf({ ...result, ips: ofNode }, "br0")).toEqual([]);
});
