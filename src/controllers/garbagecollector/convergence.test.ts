import { expect, test } from "vitest";
import { garbageConverges } from "./convergence.test-support.ts";

test.each(Array.from({ length: 50 }, (_, seed) => seed))(
  "whatever goes wrong on the way, what has an owner stays and what has lost all goes (seed %i)",
  async (seed) => {
    expect(await garbageConverges(seed)).toEqual([]);
  },
  60_000,
);
