import { expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { controllerRateLimiter, itemBackoff, slowestOf } from "./rate-limiter.ts";

test("item backoff: doubles for each item alone, up to its maximum, until it is forgotten", () => {
  const limiter = itemBackoff<string>({ base: 5, max: 30 });
  const seen = ["a", "a", "b", "a", "a", "a"].map((item) => limiter.when(item));
  expect([seen, limiter.requeues("a"), limiter.requeues("b")]).toEqual([
    [5, 10, 5, 20, 30, 30],
    5,
    1,
  ]);
  limiter.forget("a");
  expect([limiter.requeues("a"), limiter.when("a")]).toEqual([0, 5]);
});

test("item backoff: never overflows", () => {
  const limiter = itemBackoff<string>({ base: 5, max: 1_000_000 });
  for (let i = 0; i < 2000; i++) limiter.when("a");
  expect(limiter.when("a")).toBe(1_000_000);
});

test("slowestOf: calls every limiter and returns the longest delay", () => {
  const slow = itemBackoff<string>({ base: 8, max: 8 });
  const limiter = slowestOf(itemBackoff<string>({ base: 3, max: 99 }), slow);
  expect([1, 2, 3].map(() => limiter.when("a"))).toEqual([8, 8, 12]);
  limiter.forget("a");
  expect([slow.requeues("a"), limiter.requeues("a")]).toEqual([0, 0]);
});

test("controllerRateLimiter: a hundred items pass at once, then ten a second", () => {
  const limiter = controllerRateLimiter<number>(new VirtualClock());
  const waits = Array.from({ length: 102 }, (_, item) => limiter.when(item));
  expect([waits[0], waits[99], waits[100], waits[101]]).toEqual([5, 5, 100, 200]);
});
