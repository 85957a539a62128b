// Records command lines by a kubectl, or compares ours with what was recorded:
// npm run kubectl-scenarios -- [--record KUBECTL] [--grep REGEXP] [FILE…]
import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Tally } from "./arguments.ts";
import { difference } from "./difference.ts";
import { expectedOutcomes } from "./kubectl/compare-outcome.ts";
import {
  type Outcome,
  readRecording,
  readScenarios,
  recordingPath,
  scenarioFiles,
} from "./kubectl/kubectl-scenario.ts";
import { runKubectlScenario } from "./kubectl/run-kubectl-scenario.ts";
import { runOwnKubectl } from "./kubectl/run-own-kubectl.ts";
import { runProgram } from "./kubectl/run-recorded-kubectl.ts";

const { values, positionals } = parseArgs({
  options: { record: { type: "string" }, grep: { type: "string" } },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : scenarioFiles();
const grep = new RegExp(values.grep ?? "");
if (values.record === undefined) await compare();
else for (const name of names) await record(name, values.record);

/** Writes what a kubectl does; scenarios that are left out keep their recording. */
async function record(name: string, program: string): Promise<void> {
  const known = existsSync(recordingPath(name)) ? readRecording(name).outcomes : {};
  const now = Date.now();
  const outcomes: Record<string, readonly Outcome[]> = {};
  for (const scenario of readScenarios(name)) {
    const kept = known[scenario.name];
    outcomes[scenario.name] =
      kept && !grep.test(scenario.name)
        ? kept
        : await runKubectlScenario(scenario, runProgram(program));
  }
  const lines = Object.entries(outcomes).map(
    ([scenario, all]) =>
      `${JSON.stringify(scenario)}: [\n${all.map((one) => JSON.stringify(one)).join(",\n")}\n]`,
  );
  writeFileSync(recordingPath(name), `{"now": ${now}, "outcomes": {\n${lines.join(",\n")}\n}}\n`);
  console.log(`${name}: ${Object.values(outcomes).flat().length} command lines recorded`);
}

async function compare(): Promise<void> {
  const tally = new Tally();
  for (const name of names) {
    const { now, outcomes } = readRecording(name);
    for (const scenario of readScenarios(name).filter((one) => grep.test(one.name))) {
      const expected = expectedOutcomes(scenario, outcomes[scenario.name] ?? []);
      const found = await runKubectlScenario(scenario, runOwnKubectl(now));
      for (const [at, { run, ...wanted }] of expected.entries()) {
        const differs = difference(wanted, found[at]);
        tally.count(name, differs === undefined ? "equal" : "different");
        if (differs !== undefined)
          console.log(`DIFFERENT ${name} / ${scenario.name}: kubectl ${run}\n    ${differs}`);
      }
    }
  }
  tally.finish();
}
