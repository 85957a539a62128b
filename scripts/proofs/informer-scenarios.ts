// Random scenarios of informers on a server that misbehaves: npm run informer-scenarios -- [count] [seed] [http]
import {
  runScenario,
  type ScenarioFigures,
} from "../../src/client/informer/informer-scenario.test-support.ts";
import { httpPort } from "../../test/own-clients/http-informer-world.test-support.ts";
import { inProcessWorld } from "../../test/own-clients/informer-world.test-support.ts";

const args = process.argv.slice(2);
const port = args.includes("http") ? await httpPort() : undefined;
const [count = 10_000, first = 1] = args.filter((argument) => argument !== "http").map(Number);
const totals = { writes: 0, calls: 0, lists: 0, resumes: 0, stalls: 0, changesFoundByRelist: 0 };
const faults = new Map<string, number>();
const failed: number[] = [];
const start = performance.now();
for (let seed = first; seed < first + count; seed++) {
  const world = await (port ? port.world() : inProcessWorld());
  try {
    add(await runScenario(world, seed));
  } catch (error) {
    failed.push(seed);
    console.error(
      `seed ${seed} failed; to repeat it: npm run informer-scenarios -- 1 ${seed}${port ? " http" : ""}`,
    );
    console.error(count === 1 ? error : String(error));
  } finally {
    await world.close();
  }
}

function add(figures: ScenarioFigures): void {
  for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += figures[name];
  for (const [fault, times] of figures.faults) faults.set(fault, (faults.get(fault) ?? 0) + times);
}

await port?.close();
const seconds = ((performance.now() - start) / 1000).toFixed(1);
console.log(`${count} scenarios in ${seconds} s, ${failed.length} failed`);
console.log(
  Object.entries(totals)
    .map(([name, total]) => `${name} ${total}`)
    .join(", "),
);
console.log([...faults].map(([fault, times]) => `${fault} ${times}`).join(", "));
process.exitCode = failed.length > 0 ? 1 : 0;
