// Records what many clients see of a store and checks it, round after round:
// npm run linearizability -- [--backend lmdb] [--seconds 30] [--seed N] [--clients 16]
import { parseArgs } from "node:util";
import { SeededRandom } from "../../src/base/random.ts";
import { backendNames, isBackend, openBackend } from "./linearizability-backends.ts";
import { runRound } from "./linearizability-round.ts";

const { values } = parseArgs({
  options: {
    backend: { type: "string", default: "lmdb" },
    seconds: { type: "string", default: "30" },
    seed: { type: "string" },
    clients: { type: "string", default: "16" },
  },
});
const name = values.backend;
if (!isBackend(name))
  throw new TypeError(`there is no backend ${name}: ${backendNames.join(", ")} are there`);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const end = performance.now() + Number(values.seconds) * 1000;
const random = new SeededRandom(seed);
console.log(`seed ${seed}: histories of ${values.clients} clients on ${name}`);
const backend = await openBackend(name);
let rounds = 0;
try {
  while (performance.now() < end) {
    const roundEnd = Math.min(performance.now() + 5000, end);
    const result = await runRound(backend, {
      name: `round-${++rounds}`,
      clients: Number(values.clients),
      random,
      ended: () => performance.now() >= roundEnd,
    });
    console.log(`round ${rounds}: ${result.summary}`);
    for (const problem of result.problems.slice(0, 10)) console.error(`  ${problem}`);
    if (result.problems.length > 0) process.exitCode = 1;
  }
} finally {
  await backend.close();
}
