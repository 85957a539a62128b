import { describe, expect, test } from "vitest";
import { expectedOutcomes } from "../../scripts/facts/kubectl/compare-outcome.ts";
import {
  readRecording,
  readScenarios,
  scenarioFiles,
} from "../../scripts/facts/kubectl/kubectl-scenario.ts";
import { runKubectlScenario } from "../../scripts/facts/kubectl/run-kubectl-scenario.ts";
import { runOwnKubectl } from "../../scripts/facts/kubectl/run-own-kubectl.ts";

describe.each(scenarioFiles())("kubectl as recorded: %s", (name) => {
  const { now, outcomes } = readRecording(name);
  test.each(readScenarios(name).map((scenario) => [scenario.name, scenario] as const))(
    "%s",
    async (_, scenario) => {
      const expected = expectedOutcomes(scenario, outcomes[scenario.name] ?? []);
      const found = await runKubectlScenario(scenario, runOwnKubectl(now));
      expect(found.map((outcome, at) => ({ run: expected[at]?.run, ...outcome }))).toEqual(
        expected,
      );
    },
    60_000,
  );
});
