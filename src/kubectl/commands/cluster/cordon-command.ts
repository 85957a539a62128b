import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { dryRunFlags } from "../shared/dry-run.ts";
import { labelSelectorFlags } from "../shared/selector-flags.ts";
import { findNodes } from "./drain/find-nodes.ts";
import { setSchedulable } from "./drain/set-schedulable.ts";

const flags = { ...labelSelectorFlags, ...dryRunFlags };

export const cordonCommand = kubectlCommand({
  name: "cordon",
  usage: "NODE",
  short: "Mark node as unschedulable",
  long: "Mark node as unschedulable.",
  examples: `# Mark the node foo as unschedulable
kubectl cordon foo`,
  flags,
  run: (context) => run(context, "cordon"),
});

export const uncordonCommand = kubectlCommand({
  name: "uncordon",
  usage: "NODE",
  short: "Mark node as schedulable",
  long: "Mark node as schedulable.",
  examples: `# Mark the node foo as schedulable
kubectl uncordon foo`,
  flags,
  run: (context) => run(context, "uncordon"),
});

async function run(
  context: CommandContext<typeof flags>,
  verb: "cordon" | "uncordon",
): Promise<undefined> {
  const { nodes, dryRun } = await findNodes(context, `${verb} NODE`);
  await setSchedulable(context, nodes, { verb, dryRun });
  return undefined;
}
