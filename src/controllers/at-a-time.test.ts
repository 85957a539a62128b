import { expect, test } from "vitest";
import { atATime } from "./at-a-time.ts";

test("atATime: all items are processed, with limited concurrency", async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await atATime(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    running++;
    most = Math.max(most, running);
    await Promise.resolve();
    running--;
    done.push(item);
  });
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test("atATime: no item starts after an error", async () => {
  const begun: number[] = [];
  const failing = atATime(1, [1, 2, 3], async (item) => {
    begun.push(item);
    if (item === 2) throw new Error("two");
  });
  await expect(failing).rejects.toThrow("two");
  expect(begun).toEqual([1, 2]);
});
