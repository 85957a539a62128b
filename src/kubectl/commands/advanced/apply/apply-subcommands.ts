import type { LazyCommand } from "../../../program/kubectl-command.ts";

/** The commands below `apply`. */
export const applySubcommands: readonly LazyCommand[] = [
  {
    name: "view-last-applied",
    short: "View the latest last-applied-configuration annotations of a resource/object",
    load: async () => (await import("./view-last-applied-command.ts")).viewLastAppliedCommand,
  },
  {
    name: "edit-last-applied",
    short: "Edit latest last-applied-configuration annotations of a resource/object",
    load: async () => (await import("./edit-last-applied-command.ts")).editLastAppliedCommand,
  },
  {
    name: "set-last-applied",
    short:
      "Set the last-applied-configuration annotation on a live object to match the contents of a file",
    load: async () => (await import("./set-last-applied-command.ts")).setLastAppliedCommand,
  },
];
