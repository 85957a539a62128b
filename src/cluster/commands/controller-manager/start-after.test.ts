import { expect, test } from "vitest";
import { createManager } from "../../../controller-runtime/manager/manager.ts";
import { startCluster } from "../../../testing/start-cluster.ts";
import { startAfter } from "./start-after.ts";

/** When controllers start with an interval, in milliseconds after the manager. */
async function startsWith(intervalMs: number): Promise<readonly number[]> {
  await using cluster = await startCluster({ clock: "virtual" });
  const manager = createManager(cluster);
  const began = cluster.clock.now();
  const starts: number[] = [];
  for (const name of ["a", "b", "c"]) {
    const run = async (): Promise<void> => void starts.push(cluster.clock.now() - began);
    startAfter(intervalMs, { module: { name }, parts: { run: [{ name, run }] }, manager });
  }
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  await cluster.advance("1m");
  stop.abort();
  await cluster.advance("1s");
  await running;
  return starts;
}

test("startAfter: without an interval, controllers start together", async () => {
  expect(await startsWith(0)).toEqual([0, 0, 0]);
});

test("startAfter: each starts after a random time of one to two intervals", async () => {
  const starts = await startsWith(10_000);
  expect(new Set(starts).size).toBe(3);
  for (const at of starts) expect(at).toBeGreaterThanOrEqual(10_000);
  for (const at of starts) expect(at).toBeLessThanOrEqual(20_000);
});

test("startAfter: a manager that stops meanwhile starts nothing", async () => {
  expect(await startsWith(600_000)).toEqual([]);
});
