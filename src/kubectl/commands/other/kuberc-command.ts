import { kubectlCommand } from "../../program/kubectl-command.ts";

export const kubercCommand = kubectlCommand({
  name: "kuberc",
  usage: "SUBCOMMAND",
  short: "Manage kuberc configuration files",
  long: `Manage user preferences (kuberc) file.

The preferences have defaults for the flags of commands, and aliases for commands. They are in $HOME/.kube/kuberc, in the file that $KUBERC or --kuberc name, or nowhere with KUBERC=off.`,
  examples: `# View the current kuberc configuration
kubectl kuberc view

# Set a default value for a command flag
kubectl kuberc set --section defaults --command get --option output=wide

# Create an alias for a command
kubectl kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide`,
  commands: [
    {
      name: "view",
      short: "Display the current kuberc configuration",
      load: async () => (await import("./kuberc/kuberc-view-command.ts")).kubercViewCommand,
    },
    {
      name: "set",
      short: "Set values in the kuberc configuration",
      load: async () => (await import("./kuberc/kuberc-set-command.ts")).kubercSetCommand,
    },
  ],
});
