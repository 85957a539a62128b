import { expect, test } from "vitest";
import { systemEntropy, systemRandom } from "./system-entropy.ts";

test("system entropy: UUIDs are of version 4 and differ", () => {
  const uuids = Array.from({ length: 100 }, () => systemEntropy.uuid());
  const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect([new Set(uuids).size, uuids.filter((uuid) => !version4.test(uuid))]).toEqual([100, []]);
});

test("system entropy: suffixes use the whole alphabet evenly", () => {
  const counts = new Map<string, number>();
  for (const letter of systemEntropy.suffix(27_000)) {
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect([...counts.keys()].sort().join("")).toBe("2456789bcdfghjklmnpqrstvwxz");
  // 1000 each on average; 8 standard deviations either way.
  expect(Math.min(...counts.values())).toBeGreaterThan(750);
  expect(Math.max(...counts.values())).toBeLessThan(1250);
});

test("system random: numbers lie in [0, 1)", () => {
  const numbers = Array.from({ length: 100 }, () => systemRandom.next());
  expect(numbers.filter((number) => number < 0 || number >= 1)).toEqual([]);
});
