import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type CommandContext, command } from "../../cli/command.ts";
import { stringFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { readGiven } from "../../platform/given-files.ts";
import { isEncrypted } from "../../store/encryption/transformer.ts";
import { putEntries, type SnapshotEntry } from "../../store/snapshot/snapshot-source.ts";
import { parseOwnKey } from "../encryption/own-key.ts";
import { MissingKeyError, openResealing } from "../snapshot/reseal-entries.ts";
import {
  type CheckedSnapshot,
  checkSnapshot,
  MissingPassphraseError,
  openFiles,
  ownKeyOf,
  resealed,
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

Secrets are decrypted with the key in the snapshot, or with the one of --secrets-key-file if the
snapshot was taken without keys, and encrypted again as they are in the new place: in a data
directory with its own key, in etcd as --encryption-provider-config says. API servers on an etcd
share their keys, so that a file must name them: without one, secrets in etcd are not encrypted.

Exit codes: 0 on success, 1 when the snapshot could not be restored, 2 when the command line is
invalid.`,
  arguments: "FILE",
  arity: { min: 1 },
  examples: `  # Start the cluster elsewhere
  wherry store restore backup.snapshot --data-dir ./restored --passphrase-file ./passphrase
  wherry server --data-dir ./restored

  # Move a cluster from its data directory to etcd
  wherry store snapshot --data-dir ./data --without-keys move.snapshot
  wherry store restore move.snapshot --etcd-servers http://127.0.0.1:2379 \\
    --secrets-key-file ./data/pki/secrets-encryption.key --encryption-provider-config keys.yaml
  wherry apiserver --data-dir ./data --etcd-servers http://127.0.0.1:2379 \\
    --encryption-provider-config keys.yaml`,
  flags: {
    ...passphraseFlags,
    "secrets-key-file": stringFlag({
      usage:
        "the `FILE` with the key of secrets, pki/secrets-encryption.key of the data directory that the snapshot was taken from",
    }),
  },
  async run(context) {
    const { flags, args, streams, inherited } = context;
    const [file = ""] = args;
    const target = inherited(storeFlags);
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw new Error(`${file}: there is no such file`);
    const passphrase = await readPassphrase(flags);
    const secretsKey = await readKey(flags["secrets-key-file"]);
    const encryption = target["encryption-provider-config"] || undefined;
    try {
      if (isInEtcd(target)) {
        await restoreToEtcd(context, { file, passphrase, secretsKey, encryption });
        return 0;
      }
      const dir = target["data-dir"];
      if (dir === "") throw new UsageError("--data-dir is required: the directory to create");
      const { revision, entries, files } = await restoreSnapshot({
        file,
        dir: resolve(dir),
        ...(passphrase !== undefined && { passphrase }),
        ...{ secretsKey, encryption },
      });
      const keys =
        files.length === 0
          ? "no certificates and keys"
          : `${counted(files.length, "file")} of certificates and keys`;
      streams.stdout.write(`${dir}: revision ${revision}, ${counted(entries, "key")}, ${keys}\n`);
      return 0;
    } catch (error) {
      if (error instanceof MissingPassphraseError)
        throw new Error(`${error.message} with --passphrase-file`);
      if (error instanceof MissingKeyError)
        throw new Error(`${error.message}: give the key with --secrets-key-file`);
      throw error;
    }
  },
});

interface Given {
  readonly file: string;
  readonly passphrase: string | undefined;
  readonly secretsKey: Uint8Array | undefined;
  readonly encryption: string | undefined;
}

async function restoreToEtcd(
  context: Pick<CommandContext, "inherited" | "streams">,
  { file, passphrase, secretsKey, encryption }: Given,
): Promise<void> {
  const target = context.inherited(storeFlags);
  const snapshot = await checkSnapshot(file);
  const resealing = await openResealing({
    sourceKey: secretsKey ?? (await keyIn(snapshot, passphrase)),
    targetKey: undefined,
    configuration: encryption,
    keyPrefix: target["etcd-prefix"],
  });
  let plain = 0;
  const counting = async function* (): AsyncGenerator<SnapshotEntry> {
    for await (const entry of withoutLeases(resealed(file, resealing))) {
      if (entry.key.startsWith("/registry/secrets/") && !isEncrypted(entry.value)) plain++;
      yield entry;
    }
  };
  try {
    // Nothing is written if one of them cannot be restored.
    for await (const _ of resealed(file, resealing));
    const { entries, revision } = await withWritableStore(context, "", async (store) => ({
      entries: await putEntries(store, counting(), Date.now()),
      revision: await store.currentRevision(),
    }));
    const keys = `${counted(entries, "key")}, no certificates and keys`;
    const { stdout, stderr } = context.streams;
    stdout.write(`${target["etcd-servers"].join(",")}: revision ${revision}, ${keys}\n`);
    if (plain > 0)
      stderr.write(
        `Warning: ${counted(plain, "secret")} in etcd ${plain === 1 ? "is" : "are"} not encrypted. Name keys with --encryption-provider-config, also for the API servers.\n`,
      );
  } finally {
    resealing.close();
  }
}

/** The key of secrets in a snapshot; undefined if it has none, or is encrypted and no passphrase was given. */
async function keyIn(
  snapshot: CheckedSnapshot,
  passphrase: string | undefined,
): Promise<Uint8Array | undefined> {
  if (snapshot.sealed !== undefined && passphrase === undefined) return undefined;
  return ownKeyOf(await openFiles(snapshot, passphrase));
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  if (path === "") return undefined;
  return parseOwnKey(path, await readGiven({ flag: "secrets-key-file", path }));
}

/** Skips lease keys: etcd has its own leases and ignores those recorded in keys. */
async function* withoutLeases(
  entries: AsyncIterable<SnapshotEntry>,
): AsyncGenerator<SnapshotEntry> {
  for await (const entry of entries) if (!isLeaseKey(entry.key)) yield entry;
}
