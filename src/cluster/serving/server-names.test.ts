import { expect, test } from "vitest";
import { advertiseAddress } from "./advertise-address.ts";
import { externalAddress, type Reached, servingNames } from "./server-names.ts";

const anywhere = advertiseAddress("0.0.0.0");
const given = { flag: "f", path: "p" };
const servers: [reached: Reached, names: string[], ips: string[], address: string][] = [
  [{ host: "127.0.0.1" }, [], ["127.0.0.1", "10.0.0.1"], "127.0.0.1:6443"],
  [{ host: "0.0.0.0" }, [], [anywhere, "10.0.0.1"], `${anywhere}:6443`],
  [
    { host: "127.0.0.1", advertiseAddress: "192.0.2.1", serviceRange: "10.1.0.0/16,fd00::/108" },
    [],
    ["127.0.0.1", "192.0.2.1", "10.1.0.1", "fd00::1"],
    "192.0.2.1:6443",
  ],
  [
    { host: "::1", externalHost: "api.example.com:443" },
    ["api.example.com"],
    ["::1", "10.0.0.1"],
    "api.example.com:443",
  ],
  [
    {
      host: "::1",
      externalHost: "2001:db8::1",
      serving: { certificate: { cert: given, key: given } },
    },
    ["apiserver-loopback-client"],
    ["::1", "2001:db8::1", "10.0.0.1"],
    "[2001:db8::1]:6443",
  ],
  [
    { host: "127.0.0.1", externalHost: "[2001:db8::1]:443" },
    [],
    ["127.0.0.1", "2001:db8::1", "10.0.0.1"],
    "[2001:db8::1]:443",
  ],
];
test.each(servers)("servingNames, externalAddress: %j", (reached, names, ips, address) => {
  expect(servingNames(reached)).toEqual({ names, ips });
  expect(externalAddress(reached, 6443)).toBe(address);
});
