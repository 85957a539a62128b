import { kubectlCommand } from "../../program/kubectl-command.ts";
import { printOptions } from "../../program/run-kubectl.ts";

export const optionsCommand = kubectlCommand({
  name: "options",
  short: "Print the list of flags inherited by all commands",
  long: "Print the list of flags inherited by all commands",
  examples: "# Print flags inherited by all commands\nkubectl options",
  async run(context) {
    printOptions(context);
    return undefined;
  },
});
