import { stringFlag } from "../../../cli/flag.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { configSubcommands } from "./config/config-subcommands.ts";

export const configCommand = kubectlCommand({
  name: "config",
  usage: "SUBCOMMAND",
  short: "Modify kubeconfig files",
  long: `Modify kubeconfig files, for example with "kubectl config set current-context my-context".

Which files are read:

  1.  With --kubeconfig only that file.
  2.  With the variable $KUBECONFIG the files of this list, merged. A value is changed in the file that has it; a new one is created in the first file that exists, or in the last of the list if none does.
  3.  Otherwise ${"$"}{HOME}/.kube/config.`,
  persistentFlags: { kubeconfig: stringFlag({ usage: "use a particular kubeconfig file" }) },
  commands: configSubcommands,
});
