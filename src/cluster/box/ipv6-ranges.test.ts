import { expect, test } from "vitest";
import { boxIpv6, ipv6Ranges, randomPrefix } from "./ipv6-ranges.ts";

test("randomPrefix: a local prefix of 48 bits", () => {
  expect(randomPrefix(Uint8Array.of(0x12, 0x34, 0x56, 0x78, 0x9a))).toBe("fd12:3456:789a");
  expect(randomPrefix(Uint8Array.of(0x02, 0x00, 0x00, 0x0d, 0x71))).toBe("fd02:0:d71");
});

test("boxIpv6: nodes count from 2, and each has a range of its own for pods", () => {
  const prefix = "fd12:3456:789a";
  expect([boxIpv6(prefix, 0), boxIpv6(prefix, 15).podCidr, ipv6Ranges(prefix)]).toEqual([
    {
      address: "fd12:3456:789a::2",
      gateway: "fd12:3456:789a::1",
      podCidr: "fd12:3456:789a:1000::/64",
    },
    "fd12:3456:789a:100f::/64",
    {
      nodes: "fd12:3456:789a::/64",
      pods: "fd12:3456:789a:1000::/52",
      joined: "fd12:3456:789a:1800::/53",
      balancers: "fd12:3456:789a:0:8000::/112",
      services: "fd12:3456:789a:ffff::/112",
    },
  ]);
  expect(() => boxIpv6(prefix, 2048)).toThrow("has no addresses for 2049 nodes");
});
