import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { command } from "../../cli/command.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { putEntries, type SnapshotEntry } from "../../store/snapshot/snapshot-source.ts";
import {
  checkSnapshot,
  entriesOf,
  MissingPassphraseError,
  restoreSnapshot,
} from "../snapshot/restore-snapshot.ts";
import { isInEtcd, storeFlags, withWritableStore } from "./command-store.ts";
import { counted } from "./counted.ts";
import { isLeaseKey } from "./lease-key.ts";
import { passphraseFlags, readPassphrase } from "./passphrase.ts";

/** Restores a snapshot to a new data directory or into an empty etcd. */
export const restoreCommand = command({
  name: "restore",
  short: "Restore a snapshot to a new data directory",
  long: `Create a data directory from the snapshot in FILE. DIR must be empty or not exist; it is created
completely or not at all, after all of FILE was checked. Start a server on it with
"wherry apiserver --data-dir DIR" or "wherry server --data-dir DIR".

Revisions continue far above those of the snapshot, so that a client that saw a later state lists
again and never goes back in time.

With --etcd-servers the keys are written one by one into that etcd, which must be empty. Objects
get new resource versions there, so that clients must list again. Certificates, keys and leases of
etcd's API are omitted. If the command fails halfway, start again with an empty etcd.

Exit codes: 0 on success, 1 when the snapshot could not be restored, 2 when the command line is
invalid.`,
  arguments: "FILE",
  arity: { min: 1 },
  examples: `  # Start the cluster elsewhere
  wherry store restore backup.snapshot --data-dir ./restored --passphrase-file ./passphrase
  wherry server --data-dir ./restored

  # Move a cluster from its data directory to etcd
  wherry store snapshot --data-dir ./data --without-keys move.snapshot
  wherry store restore move.snapshot --etcd-servers http://127.0.0.1:2379
  wherry apiserver --data-dir ./data --etcd-servers http://127.0.0.1:2379`,
  flags: passphraseFlags,
  async run(context) {
    const { flags, args, streams, inherited } = context;
    const { stdout } = streams;
    const [file = ""] = args;
    const target = inherited(storeFlags);
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw new Error(`${file}: there is no such file`);
    if (isInEtcd(target)) {
      await checkSnapshot(file);
      const { entries, revision } = await withWritableStore(context, "", async (store) => ({
        entries: await putEntries(store, withoutLeases(entriesOf(file)), Date.now()),
        revision: await store.currentRevision(),
      }));
      const keys = `${counted(entries, "key")}, no certificates and keys`;
      stdout.write(`${target["etcd-servers"].join(",")}: revision ${revision}, ${keys}\n`);
      return 0;
    }
    const dir = target["data-dir"];
    if (dir === "") throw new UsageError("--data-dir is required: the directory to create");
    const passphrase = await readPassphrase(flags);
    const restored = await restoreSnapshot({
      file,
      dir: resolve(dir),
      ...(passphrase !== undefined && { passphrase }),
    }).catch((error: unknown) => {
      throw error instanceof MissingPassphraseError
        ? new Error(`${error.message} with --passphrase-file`)
        : error;
    });
    const { revision, entries, files } = restored;
    const keys =
      files.length === 0
        ? "no certificates and keys"
        : `${counted(files.length, "file")} of certificates and keys`;
    stdout.write(`${dir}: revision ${revision}, ${counted(entries, "key")}, ${keys}\n`);
    return 0;
  },
});

/** Skips lease keys: etcd has its own leases and ignores those recorded in keys. */
async function* withoutLeases(
  entries: AsyncIterable<SnapshotEntry>,
): AsyncGenerator<SnapshotEntry> {
  for await (const entry of entries) if (!isLeaseKey(entry.key)) yield entry;
}
