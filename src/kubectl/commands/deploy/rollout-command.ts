import { kubectlCommand } from "../../program/kubectl-command.ts";
import { rolloutSubcommands } from "./rollout/rollout-subcommands.ts";

export const rolloutCommand = kubectlCommand({
  name: "rollout",
  usage: "SUBCOMMAND",
  short: "Manage the rollout of a resource",
  long: "Manage the rollout of one or many resources.\n\nDeployments, daemon sets and stateful sets have rollouts.",
  examples: `# Go back to the revision before
kubectl rollout undo deployment/abc

# Wait until a daemon set has its new pods
kubectl rollout status daemonset/foo

# Restart the pods of deployments with a label
kubectl rollout restart deployment --selector=app=nginx`,
  commands: rolloutSubcommands,
  helpTo: "stdout",
});
