import { expect, test } from "vitest";
import { Postponed } from "./postponed.ts";

const key = { namespace: "default", name: "web" };

test("Postponed: a key waits from when it is first asked for, as long as the most urgent reason lets it", () => {
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

test("Postponed: a key that is looked at anyway need not wait any more", () => {
  const postponed = new Postponed();
  postponed.within(key, 500);
  postponed.forget(key);
  expect(postponed.take(key, 0)).toBe(0);
});
