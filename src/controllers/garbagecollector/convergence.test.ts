import { expect, test } from "vitest";
import { convergenceSeeds as seeds } from "../../../test/seeds.ts";
import { garbageConverges } from "./convergence.test-support.ts";

test("with faults, objects with an owner are kept and objects without owners are deleted", async () => {
  const failed: string[] = [];
  let faults = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const figures = await garbageConverges(seed);
    faults += figures.faults;
    failed.push(...figures.problems.map((problem) => `seed ${seed}: ${problem}`));
  }
  expect(failed).toEqual([]);
  expect(faults).toBeGreaterThan(seeds);
}, 600_000);
