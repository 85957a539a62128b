import type { LazyCommand } from "../../../program/kubectl-command.ts";

/** The commands below `kubectl rollout`. */
export const rolloutSubcommands: readonly LazyCommand[] = [
  {
    name: "history",
    short: "View rollout history",
    load: async () => (await import("./history-command.ts")).historyCommand,
  },
  {
    name: "pause",
    short: "Mark the provided resource as paused",
    load: async () => (await import("./pause-command.ts")).pauseCommand,
  },
  {
    name: "restart",
    short: "Restart a resource",
    load: async () => (await import("./restart-command.ts")).restartCommand,
  },
  {
    name: "resume",
    short: "Resume a paused resource",
    load: async () => (await import("./resume-command.ts")).resumeCommand,
  },
  {
    name: "status",
    short: "Show the status of the rollout",
    load: async () => (await import("./status-command.ts")).statusCommand,
  },
  {
    name: "undo",
    short: "Undo a previous rollout",
    load: async () => (await import("./undo-command.ts")).undoCommand,
  },
];
