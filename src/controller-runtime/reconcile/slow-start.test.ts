import { expect, test } from "vitest";
import { slowStart } from "./slow-start.ts";

async function batches(
  count: number,
  fails: (index: number) => boolean,
  first?: number,
): Promise<{ sizes: number[]; successes: number; error?: unknown }> {
  const sizes: number[] = [];
  let running = 0;
  const result = await slowStart(
    count,
    async (index) => {
      running++;
      const size = running;
      await Promise.resolve();
      if (running === size) sizes.push(size);
      await Promise.resolve();
      running--;
      if (fails(index)) throw new Error(`no ${index}`);
    },
    first,
  );
  return { sizes, ...result };
}

test("batches double until all is done", async () => {
  expect(await batches(10, () => false)).toEqual({ sizes: [1, 2, 4, 3], successes: 10 });
  expect(await batches(10, () => false, 4)).toEqual({ sizes: [4, 6], successes: 10 });
  expect(await batches(0, () => false)).toEqual({ sizes: [], successes: 0 });
});

test("no batch starts after one with a failure", async () => {
  const { sizes, successes, error } = await batches(100, (index) => index === 4);
  expect([sizes, successes, (error as Error).message]).toEqual([[1, 2, 4], 6, "no 4"]);
});
