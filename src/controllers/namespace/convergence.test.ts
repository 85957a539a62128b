import { expect, test } from "vitest";
import { convergenceSeeds as seeds } from "../../../test/seeds.ts";
import { namespacesConverge } from "./convergence.test-support.ts";

test("with faults, deleted namespaces are deleted with their content, and nothing else", async () => {
  const failed: string[] = [];
  let faults = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const figures = await namespacesConverge(seed);
    faults += figures.faults;
    failed.push(...figures.problems.map((problem) => `seed ${seed}: ${problem}`));
  }
  expect(failed).toEqual([]);
  expect(faults).toBeGreaterThan(seeds);
}, 600_000);
