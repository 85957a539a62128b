import { expect, test } from "vitest";
import { SeededRandom } from "../src/base/random.ts";
import { openBackend } from "./linearizability-backends.ts";
import { runRound } from "./linearizability-round.ts";

for (const name of ["memory", "lmdb"] as const) {
  test(`${name}: what clients and watches see is one thing after the other`, async () => {
    const backend = await openBackend(name);
    try {
      for (const seed of [1, 2]) {
        const random = new SeededRandom(seed);
        const options = { prefix: `/${seed}/`, seconds: 0.7, clients: 16, random };
        const { problems, counts } = await runRound(backend, options);
        expect(problems).toEqual([]);
        for (const what of ["read", "list", "done", "refused", "watches", "changes"])
          expect(counts[what], what).toBeGreaterThan(0);
      }
    } finally {
      await backend.close();
    }
  });
}
