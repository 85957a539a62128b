import { join, resolve } from "node:path";
import { type CommandContext, command } from "../../cli/command.ts";
import { connect } from "../../kubeconfig/connect.ts";
import type { Store } from "../../store/store.ts";
import { type Reencrypted, reencrypt } from "../encryption/reencrypt.ts";
import {
  decrypting,
  StoreInUseError,
  storeFlags,
  withRawStore,
  withWritableStore,
} from "./command-store.ts";
import { counted } from "./counted.ts";
import { reencryptServed } from "./reencrypt-served.ts";

/** Writes all values again that are not encrypted as new ones are. */
export const reencryptCommand = command({
  name: "reencrypt",
  short: "Encrypt all values as new ones are",
  long: `Write every value again that is not stored as new values are: not encrypted yet, encrypted with an
older key, or encrypted although it should not be any more. The configuration is the one of
--encryption-provider-config, as the API server has it, or the key in the data directory.

A store in etcd can be in use. While a server runs on a data directory, that server writes: the
objects are replaced by themselves through its API, as its administrator. It must have loaded the
same configuration.

After success, older keys can be removed from the configuration. Values that no key decrypts are
named and left as they are. Older versions of values stay as they are until the store is compacted;
so do values that expire, such as events.

Exit codes: 0 on success, 1 when a value cannot be decrypted or written, 2 when the command line is
invalid.`,
  examples: `  # After adding a key in front of the older one
  wherry store reencrypt --data-dir ./data --encryption-provider-config encryption.yaml

  # Objects of a cluster whose store is in etcd
  wherry store reencrypt --etcd-servers http://127.0.0.1:2379 \\
    --encryption-provider-config encryption.yaml`,
  async run(context) {
    const { stdout, stderr } = context.streams;
    const { seen, written, unreadable } = await everywhere(context);
    stdout.write(`${counted(seen, "value")} read, ${counted(written, "value")} written\n`);
    if (unreadable.length === 0) return 0;
    for (const key of unreadable) stderr.write(`${key}: no key decrypts it\n`);
    stderr.write(
      `Error: ${counted(unreadable.length, "value")} could not be decrypted: keep older keys, and add those that are missing\n`,
    );
    return 1;
  },
});

type Context = Pick<CommandContext, "inherited" | "signal" | "streams">;

async function everywhere(context: Context): Promise<Reencrypted> {
  const flags = context.inherited(storeFlags);
  const options = {
    signal: context.signal,
    onProgress: ({ seen, written }: Reencrypted) =>
      void context.streams.stderr.write(
        `${counted(seen, "value")} read, ${counted(written, "value")} written\n`,
      ),
  };
  const within = (store: Store, work: (encrypted: Store) => Promise<Reencrypted>) =>
    decrypting(store, flags, (encrypted) => {
      if (encrypted.isStale) return work(encrypted);
      throw new Error(
        "nothing is encrypted: give --encryption-provider-config, or a data directory with a key",
      );
    });
  try {
    return await withWritableStore(context, "", (store) =>
      within(store, (encrypted) => reencrypt(encrypted, options)),
    );
  } catch (error) {
    if (!(error instanceof StoreInUseError)) throw error;
  }
  const path = join(resolve(flags["data-dir"]), "admin.kubeconfig");
  const connection = await connect({ path, inCluster: false });
  try {
    return await withRawStore(context, (store) =>
      within(store, (encrypted) => reencryptServed(encrypted, connection.client, options)),
    );
  } finally {
    connection.close();
  }
}
