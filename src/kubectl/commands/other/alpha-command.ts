import { kubectlCommand } from "../../program/kubectl-command.ts";

export const alphaCommand = kubectlCommand({
  name: "alpha",
  short: "Commands for features in alpha",
  long: "These commands correspond to alpha features that are not enabled in Kubernetes clusters by default.",
  async run({ io }) {
    io.stderr.write("No alpha commands are available in this version of kubectl\n");
    return 0;
  },
});
