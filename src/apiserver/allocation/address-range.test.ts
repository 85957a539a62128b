import { expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { formatIp, parseIp } from "../../schema/values/ip.ts";
import { type AddressRange, addressRange, candidates, gives } from "./address-range.ts";

const range = (cidr: string): AddressRange => {
  const made = addressRange(cidr);
  if (!made) throw new Error(`${cidr} gives no addresses`);
  return made;
};
const at = (cidr: string, bits: bigint) => formatIp({ version: cidr.includes(":") ? 6 : 4, bits });
const all = (cidr: string, seed = 1) =>
  Array.from(candidates(range(cidr), new SeededRandom(seed)), formatIp);

test.each([
  ["10.0.0.0/24", "10.0.0.1", "10.0.0.17", "10.0.0.254"],
  ["10.0.0.0/28", "10.0.0.1", "10.0.0.1", "10.0.0.14"],
  ["10.0.0.0/27", "10.0.0.1", "10.0.0.17", "10.0.0.30"],
  ["10.0.0.0/20", "10.0.0.1", "10.0.1.1", "10.0.15.254"],
  ["10.96.0.0/12", "10.96.0.1", "10.96.1.1", "10.111.255.254"],
  ["0.0.0.0/1", "0.0.0.1", "0.0.0.1", "127.255.255.254"],
  ["10.0.0.99/24", "10.0.0.1", "10.0.0.17", "10.0.0.254"],
  ["fd00::/112", "fd00::1", "fd00::101", "fd00::ffff"],
  ["fd00::/120", "fd00::1", "fd00::11", "fd00::ff"],
  ["fd00::/64", "fd00::1", "fd00::101", "fd00::ffff:ffff:ffff:ffff"],
  ["fd00::/127", "fd00::1", "fd00::1", "fd00::1"],
])("addressRange: %s begins at %s, its upper band at %s, and ends at %s", (cidr, ...wanted) => {
  const { first, upper, last } = range(cidr);
  expect([at(cidr, first), at(cidr, upper), at(cidr, last)]).toEqual(wanted);
});

test.each(["10.0.0.0", "nonsense", "fd00::/63", "10.0.0.0/33"])(
  "addressRange: %s has no addresses to allocate",
  (cidr) => {
    expect(addressRange(cidr)).toBe(undefined);
  },
);

test.each([
  ["10.0.0.0", false],
  ["10.0.0.1", true],
  ["10.0.0.254", true],
  ["10.0.0.255", false],
  ["10.0.1.1", false],
  ["::10.0.0.1", false],
])("gives: whether %s is one of 10.0.0.0/24 is %s", (text, wanted) => {
  const ip = parseIp(text);
  expect(ip && gives(range("10.0.0.0/24"), ip)).toBe(wanted);
});

test("gives: the last address of an IPv6 network can be allocated", () => {
  const ip = parseIp("fd00::ffff");
  expect(ip && gives(range("fd00::/112"), ip)).toBe(true);
});

test.each(["10.0.0.0/24", "10.0.0.0/28", "10.0.0.0/27", "fd00::/120"])(
  "candidates: every address of %s is tried once, those of the upper band first",
  (cidr) => {
    const { first, upper, last } = range(cidr);
    const list = (from: bigint, to: bigint) =>
      Array.from({ length: Number(to - from) + 1 }, (_, i) => at(cidr, from + BigInt(i)));
    const upperBand = list(upper, last);
    const tried = all(cidr);
    expect([...tried.slice(0, upperBand.length)].sort()).toEqual([...upperBand].sort());
    expect([...tried.slice(upperBand.length)].sort()).toEqual([...list(first, upper - 1n)].sort());
  },
);

test.each(["10.0.0.0/31", "10.0.0.0/32", "fd00::/128"])("candidates: %s has none", (cidr) => {
  expect(all(cidr)).toEqual([]);
});

test("candidates: addresses of a band are in order, from a random place on", () => {
  const [first = "", second = ""] = all("10.0.0.0/16");
  const number = (text: string) => parseIp(text)?.bits ?? 0n;
  expect(number(second) - number(first)).toBe(1n);
  const starts = new Set(Array.from({ length: 20 }, (_, seed) => all("10.0.0.0/24", seed)[0]));
  expect(starts.size).toBeGreaterThan(10);
});

test("candidates: any address of a large network can come first", () => {
  const random = new SeededRandom(7);
  const starts = Array.from({ length: 50 }, () => {
    const [ip] = candidates(range("fd00::/64"), random);
    return (ip?.bits ?? 0n) & ((1n << 64n) - 1n);
  });
  expect(starts.some((bits) => bits >= 1n << 63n)).toBe(true);
  expect(new Set(starts).size).toBe(50);
});
