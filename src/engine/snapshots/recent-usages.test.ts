import { expect, test } from "vitest";
import { RecentUsages } from "./recent-usages.ts";

test("RecentUsages: counts again after a pause that depends on how long it took", async () => {
  let now = 0;
  let counted = 0;
  let takesMs = 5;
  const usages = new RecentUsages(
    async () => {
      await null;
      now += takesMs;
      return { bytes: ++counted, inodes: 1 };
    },
    () => now,
  );
  const bytes = async () => (await usages.of("a")).bytes;
  // Who asks meanwhile gets the same.
  expect(await Promise.all([bytes(), bytes()])).toEqual([1, 1]);
  now += 9_999;
  expect(await bytes()).toBe(1);
  takesMs = 1000;
  now += 1;
  expect(await bytes()).toBe(2);
  now += 19_999;
  expect(await bytes()).toBe(2);
  now += 1;
  expect(await bytes()).toBe(3);
  usages.forget("a");
  expect(await bytes()).toBe(4);
});

test("RecentUsages: counts again after an error", async () => {
  let calls = 0;
  const usages = new RecentUsages(async () => {
    if (++calls === 1) throw new Error("broken");
    return { bytes: 1, inodes: 1 };
  });
  await expect(usages.of("a")).rejects.toThrow("broken");
  expect(await usages.of("a")).toEqual({ bytes: 1, inodes: 1 });
});
