import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { command } from "../../cli/command.ts";
import { boolFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { writeSnapshot } from "../snapshot/write-snapshot.ts";
import { storeFlags, withStore } from "./command-store.ts";
import { counted } from "./counted.ts";
import { passphraseFlags, readPassphrase } from "./passphrase.ts";

/** Writes all that a cluster is to one file. */
export const snapshotCommand = command({
  name: "snapshot",
  short: "Write a store to one file, while its server runs or not",
  long: `Write all keys as of one revision to FILE, and with them the certificates and keys of the data
directory, so that the cluster can come up elsewhere; see "wherry store restore". The server may
run meanwhile. FILE is there whole or not at all; what was there is replaced. Only its owner may
read it: it holds all secrets.

Nothing of the past is in it: see "wherry store history" for that before. It is no snapshot of
etcd's: for one of those use "etcdctl snapshot save" with an etcd or with "wherry store serve".

With --passphrase-file certificates and keys are encrypted; what is in the store is not. With
--without-keys they are left out: a cluster that is restored then makes new ones, and clients
need new credentials.

Exit codes: 0, 1 when it could not be written, 2 when the command line is invalid.`,
  arguments: "FILE",
  arity: { min: 1 },
  examples: `  # Back a cluster up
  wherry store snapshot --data-dir ./data backup.snapshot --passphrase-file ./passphrase

  # Back up what is in an etcd
  wherry store snapshot --etcd-servers http://127.0.0.1:2379 backup.snapshot`,
  flags: {
    ...passphraseFlags,
    "without-keys": boolFlag({ usage: "leave certificates and keys out" }),
  },
  async run(context) {
    const { flags, args, streams, inherited } = context;
    if (flags["without-keys"] && flags["passphrase-file"] !== "")
      throw new UsageError(
        "--without-keys and --passphrase-file exclude each other: without keys nothing is encrypted",
      );
    const [file = ""] = args;
    const passphrase = await readPassphrase(flags);
    const dir = flags["without-keys"] ? "" : inherited(storeFlags)["data-dir"];
    const { revision, entries, files, bytes } = await withStore(context, async (store) =>
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
        `Warning: whoever reads ${file} can be anybody in the cluster: its private keys are in it as they are. Encrypt them with --passphrase-file, or leave them out with --without-keys.\n`,
      );
    return 0;
  },
});

const hasKeys = (dir: string): Promise<boolean> =>
  dir === ""
    ? Promise.resolve(false)
    : stat(join(dir, "pki")).then(
        (found) => found.isDirectory(),
        () => false,
      );
