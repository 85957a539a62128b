// Random states through random faults to what is declared: npm run convergence -- --controller NAME [--seeds N] [--first N]
import { parseArgs } from "node:util";
import { converge } from "../src/controllers/convergence.test-support.ts";
import { deploymentCase } from "../src/controllers/convergence-deployment.test-support.ts";
import { replicaSetCase } from "../src/controllers/convergence-replicaset.test-support.ts";

const cases = [deploymentCase, replicaSetCase];
const names = cases.map(({ name }) => name);
const { values } = parseArgs({
  options: {
    controller: { type: "string", multiple: true, default: names },
    seeds: { type: "string", default: "500" },
    first: { type: "string", default: "1" },
  },
});
const [count, first] = [Number(values.seeds), Number(values.first)];
for (const name of values.controller) {
  const one = cases.find((each) => each.name === name);
  if (!one) throw new TypeError(`there is no ${name}: ${names.join(", ")} are there`);
  const totals = { faults: 0, crashes: 0, podsCreated: 0, replicaSetsCreated: 0 };
  const failed: number[] = [];
  const start = performance.now();
  for (let seed = first; seed < first + count; seed++) {
    const figures = await converge(one, seed);
    for (const each of Object.keys(totals) as (keyof typeof totals)[])
      totals[each] += figures[each];
    if (figures.problems.length === 0) continue;
    failed.push(seed);
    console.error(
      `seed ${seed} failed; to repeat it: npm run convergence -- --controller ${name} --seeds 1 --first ${seed}`,
    );
    for (const problem of figures.problems.slice(0, count === 1 ? undefined : 3))
      console.error(`  ${problem}`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${name}: ${count} seeds in ${seconds} s, ${failed.length} failed`);
  console.log(
    `  ${Object.entries(totals)
      .map(([each, total]) => `${each} ${total}`)
      .join(", ")}`,
  );
  if (failed.length > 0) process.exitCode = 1;
}
