// Random states through random faults to what is declared: npm run convergence -- --controller NAME [--seeds N] [--first N]
import { parseArgs } from "node:util";
import { converge } from "../../src/controllers/convergence.test-support.ts";
import { binderCase } from "../../src/controllers/convergence-binder.test-support.ts";
import { cronJobCase } from "../../src/controllers/convergence-cronjob.test-support.ts";
import { daemonSetCase } from "../../src/controllers/convergence-daemonset.test-support.ts";
import { deploymentCase } from "../../src/controllers/convergence-deployment.test-support.ts";
import { jobCase } from "../../src/controllers/convergence-job.test-support.ts";
import { replicaSetCase } from "../../src/controllers/convergence-replicaset.test-support.ts";
import { statefulSetCase } from "../../src/controllers/convergence-statefulset.test-support.ts";
import { garbageConverges } from "../../src/controllers/garbagecollector/convergence.test-support.ts";
import { autoscalersConverge } from "../../src/controllers/horizontalpodautoscaler/convergence.test-support.ts";
import { namespacesConverge } from "../../src/controllers/namespace/convergence.test-support.ts";
import type { WorldFigures } from "../../src/controllers/random-world.test-support.ts";
import { convergeScheduler } from "../../src/scheduler/convergence.test-support.ts";

const cases = [
  deploymentCase,
  replicaSetCase,
  binderCase,
  jobCase,
  cronJobCase,
  daemonSetCase,
  statefulSetCase,
];
/** Those that make a world of their own: what is wrong with what comes of a seed. */
const worlds: Readonly<Record<string, (seed: number) => Promise<WorldFigures>>> = {
  garbagecollector: garbageConverges,
  horizontalpodautoscaler: autoscalersConverge,
  namespace: namespacesConverge,
  scheduler: convergeScheduler,
};
const names = [...cases.map(({ name }) => name), ...Object.keys(worlds)];
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
  const world = worlds[name];
  if (!one && !world) throw new TypeError(`there is no ${name}: ${names.join(", ")} are there`);
  const totals = { faults: 0, crashes: 0, podsCreated: 0, replicaSetsCreated: 0 };
  const failed: number[] = [];
  const start = performance.now();
  for (let seed = first; seed < first + count; seed++) {
    const figures = one ? await converge(one, seed) : await world?.(seed);
    if (!figures) continue;
    for (const each of Object.keys(totals) as (keyof typeof totals)[])
      totals[each] += (figures as Partial<typeof totals>)[each] ?? 0;
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
