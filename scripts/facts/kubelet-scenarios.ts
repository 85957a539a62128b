// Plays pod scenarios on a cluster with a node: npm run kubelet-scenarios -- --kubeconfig FILE FOLDER…
import { ApiClient } from "./api-client.ts";
import { runnerArguments, Tally } from "./arguments.ts";
import { difference } from "./difference.ts";
import { KubeletRunner, Skipped } from "./kubelet/kubelet-runner.ts";
import type { KubeletScenario } from "./kubelet/kubelet-scenario.ts";
import { comparedOutcome } from "./kubelet/outcome.ts";
import { readCases } from "./read-cases.ts";

const { kubeconfig, grep, quiet, values, folders } = runnerArguments("kubelet-scenarios", {
  jobs: { type: "string" },
  "static-dir": { type: "string" },
});
const jobs = Number(values.jobs ?? 4);
const longestFirst = (a: KubeletScenario, b: KubeletScenario) =>
  (b.seconds ?? 0) - (a.seconds ?? 0);
const queue = folders
  .flatMap(readCases<KubeletScenario>)
  .filter(({ name }) => grep.test(name))
  .sort(longestFirst);

const runner = new KubeletRunner(
  new ApiClient(kubeconfig),
  values["static-dir"] as string | undefined,
);
await runner.start();
const tally = new Tally();
await Promise.all(Array.from({ length: jobs }, playAll));
runner.close();
tally.finish();

/** Takes scenarios from the queue until it is empty. */
async function playAll(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [result, found] = await play(next);
    tally.count(next.name, result);
    if (quiet) continue;
    if (result === "different") console.log(`DIFFERENT ${next.name}\n    ${found}`);
    else console.log(`${result} ${next.name}${found === undefined ? "" : `: ${found}`}`);
  }
}

async function play(
  scenario: KubeletScenario,
): Promise<readonly [result: "equal" | "different" | "skipped", found?: string]> {
  const { outcome, compare } = scenario;
  try {
    const now = await runner.run(scenario);
    const found = difference(comparedOutcome(outcome, compare), comparedOutcome(now, compare));
    return found === undefined ? ["equal"] : ["different", found];
  } catch (error) {
    const { message } = error as Error;
    return [error instanceof Skipped ? "skipped" : "different", message];
  }
}
