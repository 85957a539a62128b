import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createExpectations } from "./expectations.ts";

test("creations: satisfied when all were observed, or lowered", () => {
  const expectations = createExpectations(new VirtualClock());
  expect(expectations.satisfied("a")).toBe(true);
  expectations.expectCreations("a", 3);
  expectations.creationObserved("a");
  expectations.creationObserved("b");
  expect([expectations.satisfied("a"), expectations.missing("a")]).toEqual([
    false,
    { creations: 2, deletions: 0 },
  ]);
  expectations.raise("a", 1);
  expectations.lower("a", 2);
  expect(expectations.satisfied("a")).toBe(false);
  expectations.creationObserved("a");
  expectations.creationObserved("a");
  expect([expectations.satisfied("a"), expectations.missing("a")?.creations]).toEqual([true, -1]);
});

test("deletions: each object counts once, and others do not", () => {
  const expectations = createExpectations(new VirtualClock());
  expectations.expectDeletions("a", ["u1", "u2", "u2"]);
  expectations.deletionObserved("a", "u1");
  expectations.deletionObserved("a", "u1");
  expectations.deletionObserved("a", "u3");
  expect([expectations.satisfied("a"), expectations.missing("a")?.deletions]).toEqual([false, 1]);
  expectations.deletionObserved("a", "u2");
  expect(expectations.satisfied("a")).toBe(true);
});

test("expectations expire after five minutes", async () => {
  const clock = new VirtualClock();
  const expectations = createExpectations(clock);
  expectations.expectCreations("a", 1);
  await clock.advance(5 * 60_000);
  expect(expectations.satisfied("a")).toBe(false);
  await clock.advance(1);
  expect(expectations.satisfied("a")).toBe(true);
  expectations.expectCreations("a", 1);
  expect(expectations.satisfied("a")).toBe(false);
  expectations.forget("a");
  expect([expectations.satisfied("a"), expectations.missing("a")]).toEqual([true, undefined]);
});
