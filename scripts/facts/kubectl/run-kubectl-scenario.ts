import { setTimeout as pause } from "node:timers/promises";
import type { CommandStep, KubectlScenario, Outcome } from "./kubectl-scenario.ts";
import { openSurroundings, type Surroundings } from "./kubectl-surroundings.ts";

/** Runs one command line in the surroundings; some kubectl does. */
export type RunCommand = (
  step: CommandStep,
  surroundings: Surroundings,
) => Promise<Omit<Outcome, "requests">>;

/** Runs a scenario in a cluster of its own, and returns what each command line did. */
export async function runKubectlScenario(
  scenario: KubectlScenario,
  run: RunCommand,
): Promise<Outcome[]> {
  await using surroundings = await openSurroundings(scenario);
  const { cluster, mask, takeRequests } = surroundings;
  const outcomes: Outcome[] = [];
  for (const step of scenario.steps) {
    if ("advance" in step) {
      await cluster.advance(step.advance);
      continue;
    }
    const running = run(step, surroundings);
    if (step.timePasses) await passTimeWhile(running, surroundings);
    const { stdout, stderr, exitCode } = await running;
    await cluster.settled();
    const requests = takeRequests();
    if (step.anyOrder) requests.sort();
    outcomes.push({ stdout: mask(stdout), stderr: mask(stderr), exitCode, requests });
  }
  return outcomes;
}

/** A second of the cluster for each twentieth of ours, until the command has ended. */
async function passTimeWhile(running: Promise<unknown>, { cluster }: Surroundings): Promise<void> {
  let isRunning = true;
  const end = (): void => {
    isRunning = false;
  };
  running.then(end, end);
  while (isRunning) {
    await pause(50);
    if (isRunning) await cluster.advance("1s");
  }
}
