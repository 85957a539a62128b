// Plays recorded scenarios on a cluster and compares the outcomes: npm run scenarios -- --kubeconfig FILE FOLDER…
import { ApiClient } from "./api-client.ts";
import { runnerArguments, Tally } from "./arguments.ts";
import { difference } from "./difference.ts";
import { readCases } from "./read-cases.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { ScenarioRunner } from "./scenarios/scenario-runner.ts";

const { kubeconfig, grep, quiet, values, folders } = runnerArguments("scenarios", {
  jobs: { type: "string" },
});
const jobs = Number(values.jobs ?? 10);
const scenarios = folders.flatMap(readCases<Scenario>).filter(({ name }) => grep.test(name));

const runner = new ScenarioRunner(new ApiClient(kubeconfig), (message) => {
  if (!quiet) console.error(`  ${message}`);
});
await runner.start(scenarios.map(({ name }) => name));
const tally = new Tally();
const slowFirst = (a: Scenario, b: Scenario) => Number(b.slow ?? false) - Number(a.slow ?? false);
const parallel = scenarios.filter(({ serial }) => !serial).sort(slowFirst);
await Promise.all(Array.from({ length: jobs }, () => playAll(parallel)));
await playAll(scenarios.filter(({ serial }) => serial));
await runner.close();
tally.finish();

/** Takes scenarios from a queue until it is empty. */
async function playAll(queue: Scenario[]): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const found = await play(next);
    tally.count(next.name, found === undefined ? "equal" : "different");
    if (quiet) continue;
    if (found === undefined) console.log(`equal ${next.name}`);
    else console.log(`DIFFERENT ${next.name}\n    ${found}`);
  }
}

async function play(scenario: Scenario): Promise<string | undefined> {
  try {
    return difference(scenario.outcome, await runner.run(scenario));
  } catch (error) {
    return (error as Error).message;
  }
}
