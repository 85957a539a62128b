import { expect, test } from "vitest";
import { autoscalersConverge } from "./convergence.test-support.ts";

/** Each takes two virtual hours of a whole cluster. */
const seeds = 4;

test("horizontal-pod-autoscaler-controller: through any faults, the size comes to fit the load, and stays", async () => {
  const problems: string[] = [];
  let faults = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const figures = await autoscalersConverge(seed);
    faults += figures.faults;
    problems.push(...figures.problems.map((problem) => `seed ${seed}: ${problem}`));
  }
  expect(problems).toEqual([]);
  expect(faults).toBeGreaterThan(seeds);
}, 120_000);
