import { command } from "../../cli/command.ts";
import { storeFlags } from "./command-store.ts";

/** Inspects and maintains the store of a cluster. */
export const storeCommand = command({
  name: "store",
  short: "Inspect and maintain a cluster's store",
  long: `Inspect and maintain the store of a cluster: the keys and objects that the API server keeps,
their history, and the files that hold them. Name the cluster's data directory with --data-dir,
or the etcd that holds the store with --etcd-servers, as for "wherry apiserver".

Keys have upstream's layout: /registry/pods/NAMESPACE/NAME. Objects are decoded, and the data of
secrets is redacted unless you ask for it.`,
  examples: `  # List, show and trace objects
  wherry store ls --data-dir ./data /registry/pods/default
  wherry store get --data-dir ./data /registry/pods/default/web
  wherry store history --data-dir ./data /registry/pods/default/web

  # List keys of a store in etcd
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
      short: "Show the object stored under a key",
      load: async () => (await import("./get-command.ts")).getCommand,
    },
    {
      name: "history",
      short: "Show the versions of a key, field by field",
      load: async () => (await import("./history-command.ts")).historyCommand,
    },
    {
      name: "watch",
      short: "Show changes as they happen",
      load: async () => (await import("./watch-command.ts")).watchCommand,
    },
    {
      name: "compact",
      short: "Remove the history before a revision",
      load: async () => (await import("./compact-command.ts")).compactCommand,
    },
    {
      name: "snapshot",
      short: "Write a store to one file, also while its server runs",
      load: async () => (await import("./snapshot-command.ts")).snapshotCommand,
    },
    {
      name: "restore",
      short: "Restore a snapshot to a new data directory",
      load: async () => (await import("./restore-command.ts")).restoreCommand,
    },
    {
      name: "verify",
      short: "Check the consistency of a store",
      load: async () => (await import("./verify-command.ts")).verifyCommand,
    },
    {
      name: "reencrypt",
      short: "Encrypt all values as new ones are",
      load: async () => (await import("./reencrypt-command.ts")).reencryptCommand,
    },
    {
      name: "serve",
      short: "Serve etcd's API on a store",
      load: async () => (await import("./serve-command.ts")).serveCommand,
    },
  ],
});
