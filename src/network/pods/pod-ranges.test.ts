import { expect, test } from "vitest";
import { formatCidr, formatIp, parseCidr, parseIp } from "../../schema/values/ip.ts";
import { parsePodRanges, podAddresses } from "./pod-ranges.ts";

test("parsePodRanges: one range of each family, in their order", () => {
  const parsed = (text: string) => parsePodRanges(text).map(formatCidr);
  expect(parsed("10.1.2.3/24")).toEqual(["10.1.2.0/24"]);
  expect(parsed("fd00::/64, 10.1.2.0/24,10.1.3.0/24")).toEqual(["fd00::/64", "10.1.2.0/24"]);
  expect(parsed("")).toEqual([]);
  expect(parsed("nonsense,10.0.0.0/40")).toEqual([]);
});

test("podAddresses: all but the first two and the last, from the one after the last on", () => {
  const all = (range: string, last?: string): readonly string[] => {
    const cidr = parseCidr(range);
    return cidr ? [...podAddresses(cidr, last ? parseIp(last) : undefined)].map(formatIp) : [];
  };
  const four = ["10.1.2.10", "10.1.2.11", "10.1.2.12", "10.1.2.13", "10.1.2.14"];
  expect(all("10.1.2.8/29")).toEqual(four);
  expect(all("10.1.2.8/29", "10.1.2.12")).toEqual([...four.slice(3), ...four.slice(0, 3)]);
  expect(all("10.1.2.8/29", "10.1.2.14")).toEqual(four);
  expect(all("fd00::/126")).toEqual(["fd00::2", "fd00::3"]);
  expect(all("10.1.2.8/31")).toEqual([]);
  expect(all("10.1.2.8/32")).toEqual([]);
  const large = all("fd00::/64");
  expect([large.length, large.at(-1)]).toEqual([65534, "fd00::ffff"]);
});
