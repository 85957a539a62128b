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
    ],
  },
  { heading: "Basic Commands (Intermediate):", commands: [] },
  { heading: "Deploy Commands:", commands: [] },
  { heading: "Cluster Management Commands:", commands: [] },
  {
    heading: "Troubleshooting and Debugging Commands:",
    commands: [
      {
        name: "logs",
        short: "Print the logs for a container in a pod",
        load: async () => (await import("./troubleshoot/logs-command.ts")).logsCommand,
      },
    ],
  },
  { heading: "Advanced Commands:", commands: [] },
  { heading: "Settings Commands:", commands: [] },
  { heading: "Other Commands:", commands: [] },
];

/** Commands that the help of kubectl does not list. */
export const unlistedCommands: readonly LazyCommand[] = [
  {
    name: "options",
    short: "Print the list of flags inherited by all commands",
    load: async () => (await import("./other/options-command.ts")).optionsCommand,
  },
];
