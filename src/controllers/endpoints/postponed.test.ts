import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { Postponed } from "./postponed.ts";

const key = { namespace: "default", name: "web" };

test("Postponed: a key waits from the first call, for the shortest of its delays", () => {
  const postponed = new Postponed();
  expect(postponed.take(key, 0)).toBe(0);
  postponed.within(key, 500);
  expect(postponed.take(key, 1000)).toBe(500);
  expect(postponed.take(key, 1200)).toBe(300);
  postponed.within(key, 900);
  expect(postponed.take(key, 1300)).toBe(200);
  expect(postponed.take(key, 1500)).toBe(0);
  postponed.within(key, 500);
  expect(postponed.take(key, 2000)).toBe(500);
  postponed.within(key, 0);
  expect(postponed.take(key, 2001)).toBe(0);
});

test("Postponed: a retry does not wait again", () => {
  const postponed = new Postponed();
  const clock = new VirtualClock(0);
  postponed.within(key, 500);
  expect(postponed.turn(key, { attempt: 1, clock })).toBe(500);
  expect(postponed.turn(key, { attempt: 2, clock })).toBe(0);
  expect(postponed.turn(key, { attempt: 1, clock })).toBe(0);
});
