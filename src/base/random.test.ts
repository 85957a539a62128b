import { expect, test } from "vitest";
import { SeededRandom } from "./random.ts";

const draw = (random: SeededRandom, count = 5): number[] =>
  Array.from({ length: count }, () => random.next());

test("seeded random: repeats from its seed, and differs from other seeds", () => {
  const first = draw(new SeededRandom(1));
  expect(draw(new SeededRandom(1))).toEqual(first);
  expect(draw(new SeededRandom(2))).not.toEqual(first);
  expect(draw(new SeededRandom(1 + 2 ** 32))).not.toEqual(first);
});

test("seeded random: numbers lie in [0, 1) and fill it evenly", () => {
  const numbers = draw(new SeededRandom(7), 10_000);
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const number of numbers)
    tenths[Math.floor(number * 10)] = (tenths[Math.floor(number * 10)] ?? 0) + 1;
  expect(tenths.length).toBe(10);
  expect(Math.min(...tenths)).toBeGreaterThan(900);
  expect(Math.max(...tenths)).toBeLessThan(1100);
});

test("seeded random: a fork continues from the same state on its own", () => {
  const random = new SeededRandom(3);
  random.next();
  const fork = random.fork();
  const ahead = draw(fork);
  expect(draw(random)).toEqual(ahead);
});
