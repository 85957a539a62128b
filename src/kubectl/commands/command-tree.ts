import type { CommandGroup } from "../program/help-text.ts";
import type { LazyCommand } from "../program/kubectl-command.ts";

/** The commands of kubectl, under the headings of its help, in its order. */
export const commandGroups: readonly CommandGroup[] = [
  {
    heading: "Basic Commands (Beginner):",
    commands: [
      {
        name: "create",
        short: "Create a resource from a file or from stdin",
        load: async () => (await import("./basic/create-command.ts")).createCommand,
      },
      {
        name: "expose",
        short:
          "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
        load: async () => (await import("./basic/expose-command.ts")).exposeCommand,
      },
      {
        name: "run",
        short: "Run a particular image on the cluster",
        load: async () => (await import("./basic/run-command.ts")).runCommand,
      },
      {
        name: "set",
        short: "Set specific features on objects",
        load: async () => (await import("./basic/set-command.ts")).setCommand,
      },
    ],
  },
  {
    heading: "Basic Commands (Intermediate):",
    commands: [
      {
        name: "explain",
        short: "Get documentation for a resource",
        load: async () => (await import("./basic/explain-command.ts")).explainCommand,
      },
      {
        name: "get",
        suggestFor: ["list", "ls"],
        short: "Display one or many resources",
        load: async () => (await import("./basic/get-command.ts")).getCommand,
      },
      {
        name: "edit",
        short: "Edit a resource on the server",
        load: async () => (await import("./basic/edit-command.ts")).editCommand,
      },
      {
        name: "delete",
        suggestFor: ["rm", "remove"],
        short:
          "Delete resources by file names, stdin, resources and names, or by resources and label selector",
        load: async () => (await import("./basic/delete-command.ts")).deleteCommand,
      },
    ],
  },
  {
    heading: "Deploy Commands:",
    commands: [
      {
        name: "rollout",
        short: "Manage the rollout of a resource",
        load: async () => (await import("./deploy/rollout-command.ts")).rolloutCommand,
      },
      {
        name: "scale",
        short: "Set a new size for a deployment, replica set, or replication controller",
        load: async () => (await import("./deploy/scale-command.ts")).scaleCommand,
      },
      {
        name: "autoscale",
        short: "Auto-scale a deployment, replica set, stateful set, or replication controller",
        load: async () => (await import("./deploy/autoscale-command.ts")).autoscaleCommand,
      },
    ],
  },
  {
    heading: "Cluster Management Commands:",
    commands: [
      {
        name: "certificate",
        short: "Modify certificate resources",
        load: async () => (await import("./cluster/certificate-command.ts")).certificateCommand,
      },
      {
        name: "cluster-info",
        short: "Display cluster information",
        load: async () => (await import("./cluster/cluster-info-command.ts")).clusterInfoCommand,
      },
      {
        name: "top",
        short: "Display resource (CPU/memory) usage",
        load: async () => (await import("./cluster/top-command.ts")).topCommand,
      },
      {
        name: "cordon",
        short: "Mark node as unschedulable",
        load: async () => (await import("./cluster/cordon-command.ts")).cordonCommand,
      },
      {
        name: "uncordon",
        short: "Mark node as schedulable",
        load: async () => (await import("./cluster/cordon-command.ts")).uncordonCommand,
      },
      {
        name: "drain",
        short: "Drain node in preparation for maintenance",
        load: async () => (await import("./cluster/drain-command.ts")).drainCommand,
      },
      {
        name: "taint",
        short: "Update the taints on one or more nodes",
        load: async () => (await import("./cluster/taint-command.ts")).taintCommand,
      },
    ],
  },
  {
    heading: "Troubleshooting and Debugging Commands:",
    commands: [
      {
        name: "describe",
        suggestFor: ["inspect"],
        short: "Show details of a specific resource or group of resources",
        load: async () => (await import("./troubleshoot/describe-command.ts")).describeCommand,
      },
      {
        name: "logs",
        short: "Print the logs for a container in a pod",
        load: async () => (await import("./troubleshoot/logs-command.ts")).logsCommand,
      },
      {
        name: "attach",
        short: "Attach to a running container",
        load: async () => (await import("./troubleshoot/attach-command.ts")).attachCommand,
      },
      {
        name: "exec",
        short: "Execute a command in a container",
        load: async () => (await import("./troubleshoot/exec-command.ts")).execCommand,
      },
      {
        name: "port-forward",
        short: "Forward one or more local ports to a pod",
        load: async () =>
          (await import("./troubleshoot/port-forward-command.ts")).portForwardCommand,
      },
      {
        name: "proxy",
        short: "Run a proxy to the Kubernetes API server",
        load: async () => (await import("./troubleshoot/proxy-command.ts")).proxyCommand,
      },
      {
        name: "cp",
        short: "Copy files and directories to and from containers",
        load: async () => (await import("./troubleshoot/cp-command.ts")).cpCommand,
      },
      {
        name: "auth",
        short: "Inspect authorization",
        load: async () => (await import("./troubleshoot/auth-command.ts")).authCommand,
      },
      {
        name: "debug",
        short: "Create debugging sessions for troubleshooting workloads and nodes",
        load: async () => (await import("./troubleshoot/debug-command.ts")).debugCommand,
      },
      {
        name: "events",
        short: "List events",
        load: async () => (await import("./troubleshoot/events-command.ts")).eventsCommand,
      },
    ],
  },
  {
    heading: "Advanced Commands:",
    commands: [
      {
        name: "diff",
        short: "Diff the live version against a would-be applied version",
        load: async () => (await import("./advanced/diff-command.ts")).diffCommand,
      },
      {
        name: "apply",
        short: "Apply a configuration to a resource by file name or stdin",
        load: async () => (await import("./advanced/apply/apply-command.ts")).applyCommand,
      },
      {
        name: "patch",
        short: "Update fields of a resource",
        load: async () => (await import("./advanced/patch-command.ts")).patchCommand,
      },
      {
        name: "replace",
        short: "Replace a resource by file name or stdin",
        load: async () => (await import("./advanced/replace-command.ts")).replaceCommand,
      },
      {
        name: "wait",
        short: "Wait for a specific condition on one or many resources",
        load: async () => (await import("./advanced/wait-command.ts")).waitCommand,
      },
      {
        name: "kustomize",
        short: "Build a kustomization target from a directory or URL",
        load: async () => (await import("./advanced/kustomize-command.ts")).kustomizeCommand,
      },
    ],
  },
  {
    heading: "Settings Commands:",
    commands: [
      {
        name: "label",
        short: "Update the labels on a resource",
        load: async () => (await import("./settings/label-command.ts")).labelCommand,
      },
      {
        name: "annotate",
        short: "Update the annotations on a resource",
        load: async () => (await import("./settings/annotate-command.ts")).annotateCommand,
      },
      {
        name: "completion",
        short:
          "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
        load: async () => (await import("./settings/completion-command.ts")).completionCommand,
      },
    ],
  },
  // As in the original, a heading without commands.
  { heading: "Subcommands provided by plugins:", commands: [] },
  {
    heading: "Other Commands:",
    isSorted: true,
    commands: [
      {
        name: "config",
        short: "Modify kubeconfig files",
        load: async () => (await import("./other/config-command.ts")).configCommand,
      },
      {
        name: "plugin",
        short: "Provides utilities for interacting with plugins",
        load: async () => (await import("./other/plugin-command.ts")).pluginCommand,
      },
      {
        name: "version",
        short: "Print the client and server version information",
        load: async () => (await import("./other/version-command.ts")).versionCommand,
      },
      {
        name: "api-versions",
        short: 'Print the supported API versions on the server, in the form of "group/version"',
        load: async () => (await import("./other/api-versions-command.ts")).apiVersionsCommand,
      },
      {
        name: "api-resources",
        short: "Print the supported API resources on the server",
        load: async () => (await import("./other/api-resources-command.ts")).apiResourcesCommand,
      },
      {
        name: "kuberc",
        short: "Manage kuberc configuration files",
        load: async () => (await import("./other/kuberc-command.ts")).kubercCommand,
      },
    ],
  },
];

/** Commands that the help of kubectl does not list. */
export const unlistedCommands: readonly LazyCommand[] = [
  {
    name: "options",
    short: "Print the list of flags inherited by all commands",
    load: async () => (await import("./other/options-command.ts")).optionsCommand,
  },
  {
    name: "help",
    short: "Help about any command",
    load: async () => (await import("./other/help-command.ts")).helpCommand,
  },
  {
    name: "alpha",
    short: "Commands for features in alpha",
    hidden: true,
    load: async () => (await import("./other/alpha-command.ts")).alphaCommand,
  },
];
