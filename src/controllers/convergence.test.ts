import { expect, test } from "vitest";
import { converge } from "./convergence.test-support.ts";
import { replicaSetCase } from "./convergence-replicaset.test-support.ts";

const seeds = 50;

test.each([replicaSetCase])(
  "$name: from any state, through any faults, it comes to what is declared, once, and is quiet",
  async (one) => {
    const failed: string[] = [];
    let faults = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const figures = await converge(one, seed);
      faults += figures.faults;
      failed.push(...figures.problems.map((problem) => `seed ${seed}: ${problem}`));
    }
    expect(failed).toEqual([]);
    expect(faults).toBeGreaterThan(seeds);
  },
  120_000,
);
