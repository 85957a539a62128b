import { expect, test } from "vitest";
import { namespacesConverge } from "./convergence.test-support.ts";

test.each(Array.from({ length: 50 }, (_, seed) => seed))(
  "whatever goes wrong on the way, what is deleted goes with all in it, and nothing else (seed %i)",
  async (seed) => {
    expect(await namespacesConverge(seed)).toEqual([]);
  },
  60_000,
);
