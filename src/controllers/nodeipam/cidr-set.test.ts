import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { type Cidr, formatCidr, parseCidr } from "../../schema/values/ip.ts";
import { CidrSet } from "./cidr-set.ts";

const cidr = (text: string): Cidr => parseCidr(text) as Cidr;
const next = (set: CidrSet): string => {
  const found = set.allocateNext();
  return found ? formatCidr(found) : "none";
};

each<[network: string, prefix: number, occupied: readonly string[], ranges: readonly string[]]>([
  ["10.0.0.0/30", 31, [], ["10.0.0.0/31", "10.0.0.2/31", "none"]],
  ["10.0.0.0/24", 24, [], ["10.0.0.0/24", "none"]],
  ["10.0.0.0/22", 24, ["10.0.0.0/23"], ["10.0.2.0/24", "10.0.3.0/24", "none"]],
  ["10.0.0.0/23", 24, ["10.0.0.7/32"], ["10.0.1.0/24", "none"]],
  ["10.0.0.0/23", 24, ["10.0.0.0/8"], ["none"]],
  ["10.0.0.0/23", 24, ["10.0.0.0/23"], ["none"]],
  ["2001:db8::/62", 64, ["2001:db8:0:1::/64"], ["2001:db8::/64", "2001:db8:0:2::/64"]],
  ["2001:db8::/110", 112, [], ["2001:db8::/112", "2001:db8::1:0/112", "2001:db8::2:0/112"]],
])("CidrSet: of %s, ranges of %i bits but %j are %j", (network, prefix, occupied, ranges) => {
  const set = new CidrSet(cidr(network), prefix);
  for (const one of occupied) expect(set.occupy(cidr(one))).toBe(true);
  expect(ranges.map(() => next(set))).toEqual(ranges);
});

test("CidrSet: a range that was released is used after all others", () => {
  const set = new CidrSet(cidr("10.0.0.0/22"), 24);
  expect([next(set), next(set)]).toEqual(["10.0.0.0/24", "10.0.1.0/24"]);
  expect(set.release(cidr("10.0.0.0/24"))).toBe(true);
  expect([1, 2, 3, 4].map(() => next(set))).toEqual([
    "10.0.2.0/24",
    "10.0.3.0/24",
    "10.0.0.0/24",
    "none",
  ]);
});

test("CidrSet: networks outside, or of the other family, are none of it", () => {
  const set = new CidrSet(cidr("10.0.0.0/16"), 24);
  const outside = ["10.1.0.0/24", "2001:db8::/64"];
  expect(outside.map((one) => set.occupy(cidr(one)))).toEqual([false, false]);
  expect(outside.map((one) => set.release(cidr(one)))).toEqual([false, false]);
});

test("CidrSet: metrics count each range once", () => {
  const counts = { allocated: 0, released: 0, tried: [] as number[], usage: 0 };
  const set = new CidrSet(cidr("10.0.0.0/22"), 24, {
    allocated(count) {
      counts.allocated += count;
    },
    released(count) {
      counts.released += count;
    },
    tried: (count) => void counts.tried.push(count),
    usage(part) {
      counts.usage = part;
    },
  });
  set.occupy(cidr("10.0.0.0/24"));
  set.occupy(cidr("10.0.0.0/24"));
  set.allocateNext();
  set.release(cidr("10.0.0.0/24"));
  set.release(cidr("10.0.0.0/24"));
  expect(counts).toEqual({ allocated: 2, released: 1, tried: [1], usage: 0.25 });
});
