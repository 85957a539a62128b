import { command } from "../../cli/command.ts";
import { storeFlags } from "./open-store.ts";

/** Looks into the store of a cluster, and looks after it. */
export const storeCommand = command({
  name: "store",
  short: "Look into a cluster's store, and look after it",
  long: `Look into the store of a cluster, and look after it: the keys and objects that the API server
keeps, their history, and the files that hold them.

Keys are laid out as upstream's: /registry/pods/NAMESPACE/NAME. Objects are decoded; what is
in secrets is not shown unless it is asked for.`,
  examples: `  # What is there, and what happened to it?
  wherry store ls --data-dir ./data /registry/pods/default
  wherry store get --data-dir ./data /registry/pods/default/web
  wherry store history --data-dir ./data /registry/pods/default/web`,
  persistentFlags: storeFlags,
  commands: [
    {
      name: "ls",
      short: "List keys, one level at a time",
      load: async () => (await import("./ls-command.ts")).lsCommand,
    },
    {
      name: "get",
      short: "Show what a key holds",
      load: async () => (await import("./get-command.ts")).getCommand,
    },
    {
      name: "history",
      short: "Show what happened to a key, field by field",
      load: async () => (await import("./history-command.ts")).historyCommand,
    },
    {
      name: "watch",
      short: "Show changes as they happen",
      load: async () => (await import("./watch-command.ts")).watchCommand,
    },
    {
      name: "compact",
      short: "Forget old revisions",
      load: async () => (await import("./compact-command.ts")).compactCommand,
    },
  ],
});
