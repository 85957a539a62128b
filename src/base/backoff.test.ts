import { expect, test } from "vitest";
import { type Backoff, delays, delaysWithReset, jittered } from "./backoff.ts";
import type { Random } from "./random.ts";
import { VirtualClock } from "./virtual-clock.ts";

const always = (value: number): Random => ({ next: () => value });

function first(count: number, backoff: Backoff, random = 0): number[] {
  const next = delays(backoff, always(random));
  return Array.from({ length: count }, next);
}

test.each([
  { backoff: { duration: 10 }, expected: [10, 10, 10, 10] },
  { backoff: { duration: 10, factor: 2 }, expected: [10, 10, 10, 10] },
  { backoff: { duration: 10, factor: 2, steps: 2 }, expected: [10, 20, 40, 40] },
  { backoff: { duration: 10, factor: 3, steps: 9, cap: 50 }, expected: [10, 30, 50, 50] },
  { backoff: { duration: 10, factor: 2, steps: 9, cap: 20 }, expected: [10, 20, 20, 20] },
  { backoff: { duration: 10, steps: 9, cap: 5 }, expected: [10, 10, 10, 10] },
  { backoff: { duration: 10, factor: 0.5, steps: 2 }, expected: [10, 5, 2.5, 2.5] },
])("delays: $backoff gives $expected", ({ backoff, expected }) => {
  expect(first(4, backoff)).toEqual(expected);
});

test("delays: jitter is added to each delay and does not accumulate", () => {
  expect(first(3, { duration: 10, factor: 2, steps: 9, jitter: 1 }, 0.5)).toEqual([15, 30, 60]);
});

test.each([
  { jitter: 0.2, random: 0.5, expected: 11 },
  { jitter: 0, random: 0.5, expected: 10 },
  { jitter: -1, random: 0.5, expected: 10 },
])("jittered: 10 with $jitter is $expected", ({ jitter, random, expected }) => {
  expect(jittered(10, jitter, always(random))).toBe(expected);
});

test("delaysWithReset: starts from the first delay again after its period", async () => {
  const clock = new VirtualClock();
  const backoff = { duration: 1, factor: 2, steps: 9 };
  const next = delaysWithReset(backoff, always(0), { clock, after: 100 });
  const seen = [next(), next()];
  await clock.advance(100);
  seen.push(next());
  await clock.advance(1);
  seen.push(next(), next());
  expect(seen).toEqual([1, 2, 4, 1, 2]);
});
