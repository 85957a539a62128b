import { command } from "../../cli/command.ts";
import { storeFlags } from "./command-store.ts";

/** Looks into the store of a cluster, and looks after it. */
export const storeCommand = command({
  name: "store",
  short: "Inspect and maintain a cluster's store",
  long: `Look into the store of a cluster, and look after it: the keys and objects that the API server
keeps, their history, and the files that hold them. --data-dir names a cluster's data directory;
--etcd-servers the etcd that holds the store instead, as for "wherry apiserver".

Keys are laid out as upstream's: /registry/pods/NAMESPACE/NAME. Objects are decoded; what is
in secrets is not shown unless it is asked for.`,
  examples: `  # What is there, and what happened to it?
  wherry store ls --data-dir ./data /registry/pods/default
  wherry store get --data-dir ./data /registry/pods/default/web
  wherry store history --data-dir ./data /registry/pods/default/web

  # The same where the store is in etcd
  wherry store ls --etcd-servers https://10.0.0.1:2379,https://10.0.0.2:2379 \\
    --etcd-cafile ca.crt --etcd-certfile client.crt --etcd-keyfile client.key /registry/pods`,
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
    {
      name: "snapshot",
      short: "Write a store to one file, while its server runs or not",
      load: async () => (await import("./snapshot-command.ts")).snapshotCommand,
    },
    {
      name: "restore",
      short: "Make a data directory from a snapshot",
      load: async () => (await import("./restore-command.ts")).restoreCommand,
    },
    {
      name: "verify",
      short: "Check that a store is as it must be",
      load: async () => (await import("./verify-command.ts")).verifyCommand,
    },
    {
      name: "serve",
      short: "Serve etcd's API on a store",
      load: async () => (await import("./serve-command.ts")).serveCommand,
    },
  ],
});
