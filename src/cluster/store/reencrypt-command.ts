import { command } from "../../cli/command.ts";
import { reencrypt } from "../encryption/reencrypt.ts";
import { decrypting, storeFlags, withWritableStore } from "./command-store.ts";
import { counted } from "./counted.ts";

/** Writes all values again that are not encrypted as new ones are. */
export const reencryptCommand = command({
  name: "reencrypt",
  short: "Encrypt all values as new ones are",
  long: `Write every value again that is not stored as new values are: not encrypted yet, encrypted with an
older key, or encrypted although it should not be any more. The configuration is the one of
--encryption-provider-config, as the API server has it, or the key in the data directory.

After that, older keys can be removed from the configuration. A store in etcd can be in use; for a
data directory, stop the server first. Older versions of values stay as they are until the store is
compacted; so do values that expire, such as events.

Exit codes: 0 on success, 1 when the store is in use or a value cannot be read, 2 when the command
line is invalid.`,
  examples: `  # After adding a key in front of the older one
  wherry store reencrypt --data-dir ./data --encryption-provider-config encryption.yaml

  # Objects of a cluster whose store is in etcd
  wherry store reencrypt --etcd-servers http://127.0.0.1:2379 \\
    --encryption-provider-config encryption.yaml`,
  run: (context) =>
    withWritableStore(context, whileServed, (store) =>
      decrypting(store, context.inherited(storeFlags), async (encrypted) => {
        const { stdout, stderr } = context.streams;
        if (!encrypted.isStale)
          throw new Error(
            "nothing is encrypted: give --encryption-provider-config, or a data directory with a key",
          );
        const { seen, written } = await reencrypt(encrypted, {
          signal: context.signal,
          onProgress: (done) =>
            stderr.write(
              `${counted(done.seen, "value")} read, ${counted(done.written, "value")} written\n`,
            ),
        });
        stdout.write(`${counted(seen, "value")} read, ${counted(written, "value")} written\n`);
        return 0;
      }),
    ),
});

const whileServed = "stop the server first: its objects are encrypted when they are next written";
