import type { CommandStep, KubectlScenario, Outcome } from "./kubectl-scenario.ts";

/** What a command line should have done: what was recorded, but for what is known to be different. */
export function expectedOutcomes(
  { steps }: KubectlScenario,
  recorded: readonly Outcome[],
): (Outcome & { readonly run: string })[] {
  return steps
    .filter((step): step is CommandStep => "run" in step)
    .map(({ run, ours }, at) => {
      const outcome = recorded[at];
      if (!outcome) throw new Error(`kubectl ${run}: not recorded`);
      const { reason: _, ...different } = ours ?? { reason: "" };
      return { run, ...outcome, ...different };
    });
}
