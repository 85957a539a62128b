import { kubectlCommand } from "../../program/kubectl-command.ts";

export const pluginCommand = kubectlCommand({
  name: "plugin",
  usage: "[flags]",
  short: "Provides utilities for interacting with plugins",
  long: `Provides utilities for interacting with plugins.

Plugins are programs that become commands of kubectl. To find and install some, see krew: https://krew.sigs.k8s.io/docs/user-guide/setup/install`,
  examples: `# List all available plugins
kubectl plugin list

# List only binary names of available plugins without paths
kubectl plugin list --name-only`,
  commands: [
    {
      name: "list",
      short: "List all visible plugin executables on a user's PATH",
      load: async () => (await import("./plugin/plugin-list-command.ts")).pluginListCommand,
    },
  ],
});
