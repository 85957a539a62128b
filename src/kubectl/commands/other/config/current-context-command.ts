import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";

export const currentContextCommand = kubectlCommand({
  name: "current-context",
  usage: "[flags]",
  short: "Display the current-context",
  long: "Display the current-context.",
  examples: `# Display the current-context
kubectl config current-context`,
  async run(context) {
    const { config } = await configAccess(context).read();
    const current = config["current-context"];
    if (!current) throw new Error("current-context is not set");
    context.io.stdout.write(`${current}\n`);
    return undefined;
  },
});
