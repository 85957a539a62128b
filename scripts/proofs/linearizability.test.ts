import { expect, test } from "vitest";
import { SeededRandom } from "../../src/base/random.ts";
import { requires, testWith } from "../../test/requires.ts";
import { type BackendName, openBackend } from "./linearizability-backends.ts";
import { runRound } from "./linearizability-round.ts";

for (const name of ["memory", "lmdb"] as const) {
  test(`${name}: what clients and watches see is one thing after the other`, async () => {
    await checkRounds(name, { rounds: 2, seconds: 0.7 });
  });
}

for (const [what, backend, seconds] of [
  ["etcd: what clients of two stores see is one thing after the other", "etcd", 1],
  ["etcd: so it is while members are paused, killed and started again", "etcd-faults", 6],
  ["two API servers on such an etcd, killed at times: so it is, asked by HTTP", "apiservers", 6],
] as const) {
  testWith(requires("etcd"))(what, () => checkRounds(backend, { rounds: 1, seconds }), 120_000);
}

async function checkRounds(
  name: BackendName,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<void> {
  const backend = await openBackend(name);
  try {
    for (let seed = 1; seed <= rounds; seed++) {
      const end = performance.now() + seconds * 1000;
      const { problems, counts } = await runRound(backend, {
        name: `round-${seed}`,
        clients: 16,
        random: new SeededRandom(seed),
        ended: () => performance.now() >= end,
      });
      expect(problems).toEqual([]);
      for (const what of ["read", "list", "done", "refused", "watches", "changes"])
        expect(counts[what], what).toBeGreaterThan(0);
    }
  } finally {
    await backend.close();
  }
}
