import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { command } from "../../cli/command.ts";
import { boolFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { ownKeyPath } from "../encryption/own-key.ts";
import { writeSnapshot } from "../snapshot/write-snapshot.ts";
import { isInEtcd, storeFlags, withRawStore } from "./command-store.ts";
import { counted } from "./counted.ts";
import { passphraseFlags, readPassphrase } from "./passphrase.ts";

/** Writes a cluster's store, certificates and keys to one file. */
export const snapshotCommand = command({
  name: "snapshot",
  short: "Write a store to one file, also while its server runs",
  long: `Write all keys as of one revision to FILE, with the certificates and keys of the data directory,
so that "wherry store restore" can start the cluster elsewhere. The server may keep running. FILE
is written completely or not at all, and replaces an existing file. Only its owner may read it,
because it holds all secrets.

A snapshot has no history: use "wherry store history" before. It does not have etcd's format: for
that, use "etcdctl snapshot save" with etcd or with "wherry store serve".

With --passphrase-file the certificates and keys are encrypted. With --without-keys they are
omitted: a restored cluster creates new ones, and clients need new credentials.

Values are as they are in the store: secrets are encrypted with the key in
DIR/pki/secrets-encryption.key, unless the server was started with other keys. A snapshot holds
that key encrypted with --passphrase-file, unencrypted if --plain-keys asks for it, and otherwise
not: keep the file, because "wherry store restore" needs it as --secrets-key-file.

Exit codes: 0 on success, 1 when the snapshot could not be written, 2 when the command line is
invalid.`,
  arguments: "FILE",
  arity: { min: 1 },
  examples: `  # Back up a cluster
  wherry store snapshot --data-dir ./data backup.snapshot --passphrase-file ./passphrase

  # Back up an etcd
  wherry store snapshot --etcd-servers http://127.0.0.1:2379 backup.snapshot`,
  flags: {
    ...passphraseFlags,
    "without-keys": boolFlag({ usage: "omit certificates and keys" }),
    "plain-keys": boolFlag({
      usage: "include certificates and keys unencrypted, also the key of secrets",
    }),
  },
  async run(context) {
    const { flags, args, streams, inherited } = context;
    if (flags["without-keys"] && flags["passphrase-file"] !== "")
      throw new UsageError(
        "--without-keys and --passphrase-file exclude each other: only keys are encrypted",
      );
    if (flags["plain-keys"] && (flags["without-keys"] || flags["passphrase-file"] !== ""))
      throw new UsageError(
        "--plain-keys excludes --without-keys and --passphrase-file: it includes keys unencrypted",
      );
    const [file = ""] = args;
    const passphrase = await readPassphrase(flags);
    const source = inherited(storeFlags);
    const secretsKey = await secretsKeyPath(source["data-dir"]);
    if (secretsKey !== undefined && passphrase === undefined)
      if (!flags["without-keys"] && !flags["plain-keys"])
        throw new UsageError(
          `the snapshot would hold secrets and, unencrypted, their key ${secretsKey}: choose --passphrase-file, which encrypts it, --without-keys or --plain-keys`,
        );
    const dir = flags["without-keys"] ? "" : source["data-dir"];
    const { revision, entries, files, bytes } = await withRawStore(context, async (store) =>
      writeSnapshot({
        store,
        file: resolve(file),
        now: new Date(),
        ...((await hasKeys(dir)) && { dataDir: resolve(dir) }),
        ...(passphrase !== undefined && { passphrase }),
      }),
    );
    const encrypted = passphrase === undefined ? "" : ", encrypted";
    const keys =
      files.length === 0
        ? "no certificates and keys"
        : `${counted(files.length, "file")} of certificates and keys${encrypted}`;
    streams.stdout.write(
      `${file}: revision ${revision}, ${counted(entries, "key")}, ${keys}, ${bytes} bytes\n`,
    );
    if (files.length > 0 && passphrase === undefined)
      streams.stderr.write(
        `Warning: ${file} holds the cluster's private keys unencrypted: every reader of it has full access to the cluster. Encrypt them with --passphrase-file, or omit them with --without-keys.\n`,
      );
    if (secretsKey !== undefined && files.length === 0 && !isInEtcd(source))
      streams.stderr.write(
        `Note: secrets in ${file} are encrypted with ${secretsKey}: keep that file apart from it. "wherry store restore" needs it as --secrets-key-file.\n`,
      );
    return 0;
  },
});

/** The path of the key in a data directory that encrypts secrets; undefined if there is none. */
async function secretsKeyPath(dir: string): Promise<string | undefined> {
  const path = ownKeyPath(resolve(dir));
  const isThere = dir !== "" && (await stat(path).catch(() => undefined));
  return isThere ? path : undefined;
}

const hasKeys = (dir: string): Promise<boolean> =>
  dir === ""
    ? Promise.resolve(false)
    : stat(join(dir, "pki")).then(
        (found) => found.isDirectory(),
        () => false,
      );
