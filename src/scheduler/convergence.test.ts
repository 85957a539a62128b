import { expect, test } from "vitest";
import { convergenceSeeds as seeds } from "../../test/seeds.ts";
import { convergeScheduler } from "./convergence.test-support.ts";

test("from any state, with any faults: no node is overcommitted, no pod is lost, then the scheduler is idle", async () => {
  const problems: string[] = [];
  const sums = { faults: 0, crashes: 0, bound: 0, preempted: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const figures = await convergeScheduler(seed);
    problems.push(...figures.problems.map((problem) => `seed ${seed}: ${problem}`));
    for (const name of ["faults", "crashes", "bound", "preempted"] as const)
      sums[name] += figures[name];
  }
  expect(problems).toEqual([]);
  // Without faults, the test would prove nothing.
  expect(sums.faults).toBeGreaterThan(seeds);
  expect(sums.crashes).toBeGreaterThan(seeds / 10);
  expect(sums.bound).toBeGreaterThan(5 * seeds);
  expect(sums.preempted).toBeGreaterThan(seeds / 10);
}, 300_000);

test("equal seeds lead to equal results", async () => {
  const [first, again] = [await convergeScheduler(7), await convergeScheduler(7)];
  expect(again).toEqual(first);
});
