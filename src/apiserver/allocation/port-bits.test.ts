import { expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { PortBits, type PortRange, parsePortRange } from "./port-bits.ts";

const usual: PortRange = { first: 30000, last: 32767 };
const nobody = () => false;

test.each([
  [[], []],
  [[30000], [1]],
  [
    [30000, 30009],
    [2, 1],
  ],
  [[32767], [128, ...new Array(345).fill(0)]],
])("PortBits: with %j taken, the store has %j", (ports, stored) => {
  const bits = new PortBits(usual);
  for (const port of ports) bits.set(port, true);
  expect([...bits.stored]).toEqual(stored);
  expect([...new PortBits(usual, bits.stored).ports()]).toEqual(ports);
});

test("PortBits: a released port is free, and ports out of range are ignored", () => {
  const bits = new PortBits(usual);
  for (const port of [30005, 29999, 32768]) bits.set(port, true);
  expect([...bits.ports()]).toEqual([30005]);
  bits.set(30005, false);
  expect([bits.has(30005), bits.stored.length]).toEqual([false, 0]);
});

test("PortBits: a copy changes independently", () => {
  const bits = new PortBits(usual);
  bits.copy().set(30001, true);
  expect(bits.has(30001)).toBe(false);
});

test.each([
  ["the usual range", usual, 30086],
  ["a small range", { first: 30000, last: 30031 }, 30016],
  ["a range of 16", { first: 30000, last: 30015 }, 30000],
  ["a large range", { first: 20000, last: 32767 }, 20128],
])("PortBits: of %s, ports are given from %j on", (_, range: PortRange, upper: number) => {
  const bits = new PortBits(range);
  const random = new SeededRandom(3);
  const given: number[] = [];
  for (let n = range.last - range.first + 1; n > 0; n--) {
    const port = bits.free(random, nobody);
    if (port === undefined) throw new Error("there is one left");
    bits.set(port, true);
    given.push(port);
  }
  const inUpper = given.slice(0, range.last - upper + 1);
  expect(Math.min(...inUpper)).toBe(upper);
  expect(new Set(given).size).toBe(range.last - range.first + 1);
  expect(bits.free(random, nobody)).toBe(undefined);
});

test("PortBits: a claimed port is not free", () => {
  const bits = new PortBits({ first: 1, last: 3 });
  expect(bits.free(new SeededRandom(1), (port) => port !== 2)).toBe(2);
});

test.each([
  ["30000-32767", usual],
  ["30000", undefined],
  ["", undefined],
])("parsePortRange: %j", (text, wanted) => {
  expect(parsePortRange(text)).toEqual(wanted);
});
