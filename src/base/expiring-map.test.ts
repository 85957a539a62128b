import { expect, test } from "vitest";
import { ExpiringMap } from "./expiring-map.ts";
import { VirtualClock } from "./virtual-clock.ts";

test("ExpiringMap: an entry expires after its time to live", async () => {
  const clock = new VirtualClock();
  const map = new ExpiringMap<string, number>({ clock, capacity: 10 });
  map.set("a", 1, 1000);
  map.set("b", 2, 0);
  await clock.advance(999);
  expect([map.get("a"), map.get("b")]).toEqual([1, undefined]);
  await clock.advance(1);
  expect(map.get("a")).toBeUndefined();
});

test("ExpiringMap: a full map evicts its oldest entry", () => {
  const map = new ExpiringMap<string, number>({ clock: new VirtualClock(), capacity: 2 });
  for (const [index, key] of ["a", "b", "a", "c"].entries()) map.set(key, index, 1000);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([2, undefined, 3]);
});
