import type { LazyCommand } from "../../../program/kubectl-command.ts";

/** The commands below `kubectl config`. */
export const configSubcommands: readonly LazyCommand[] = [
  {
    name: "view",
    short: "Display merged kubeconfig settings or a specified kubeconfig file",
    load: async () => (await import("./view-command.ts")).viewCommand,
  },
  {
    name: "set-cluster",
    short: "Set a cluster entry in kubeconfig",
    load: async () => (await import("./set-cluster-command.ts")).setClusterCommand,
  },
  {
    name: "set-credentials",
    short: "Set a user entry in kubeconfig",
    load: async () => (await import("./set-credentials-command.ts")).setCredentialsCommand,
  },
  {
    name: "set-context",
    short: "Set a context entry in kubeconfig",
    load: async () => (await import("./set-context-command.ts")).setContextCommand,
  },
  {
    name: "set",
    short: "Set an individual value in a kubeconfig file",
    load: async () => (await import("./set-value-commands.ts")).setCommand,
  },
  {
    name: "unset",
    short: "Unset an individual value in a kubeconfig file",
    load: async () => (await import("./set-value-commands.ts")).unsetCommand,
  },
  {
    name: "current-context",
    short: "Display the current-context",
    load: async () => (await import("./current-context-command.ts")).currentContextCommand,
  },
  {
    name: "use-context",
    aliases: ["use"],
    short: "Set the current-context in a kubeconfig file",
    load: async () => (await import("./use-context-command.ts")).useContextCommand,
  },
  {
    name: "get-contexts",
    short: "Describe one or many contexts",
    load: async () => (await import("./get-contexts-command.ts")).getContextsCommand,
  },
  {
    name: "get-clusters",
    short: "Display clusters defined in the kubeconfig",
    load: async () => (await import("./list-entries-commands.ts")).getClustersCommand,
  },
  {
    name: "get-users",
    short: "Display users defined in the kubeconfig",
    load: async () => (await import("./list-entries-commands.ts")).getUsersCommand,
  },
  {
    name: "delete-cluster",
    short: "Delete the specified cluster from the kubeconfig",
    load: async () => (await import("./delete-entry-commands.ts")).deleteClusterCommand,
  },
  {
    name: "delete-context",
    short: "Delete the specified context from the kubeconfig",
    load: async () => (await import("./delete-entry-commands.ts")).deleteContextCommand,
  },
  {
    name: "delete-user",
    short: "Delete the specified user from the kubeconfig",
    load: async () => (await import("./delete-entry-commands.ts")).deleteUserCommand,
  },
  {
    name: "rename-context",
    short: "Rename a context from the kubeconfig file",
    load: async () => (await import("./rename-context-command.ts")).renameContextCommand,
  },
];
