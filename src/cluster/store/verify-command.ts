import { join } from "node:path";
import { command } from "../../cli/command.ts";
import { verifyLmdbStore } from "../../store/lmdb/verify-lmdb-store.ts";
import { dataDirectory, isInEtcd, storeFlags, withStore } from "./command-store.ts";
import { counted } from "./counted.ts";
import { painted } from "./terminal.ts";
import { type Checked, Violation, verifyStore } from "./verify-store.ts";

/** Checks a store, and reports the first violation. */
export const verifyCommand = command({
  name: "verify",
  short: "Check the consistency of a store",
  long: `Check the consistency of a store. On disk: checksums are right, no record is missing, and
revisions and versions are consecutive. In any store: keys are in order with consistent counts,
objects can be decoded and are named like their keys, and the history leads to the current keys.
Each completed check is printed with the number of items, up to the first violation.

The store is only read, also while its server runs; nothing is repaired. Objects are not
validated: the API server does that when they are written.

Exit codes: 0 when the store is consistent, 1 at the first violation, 2 when the command line is
invalid.`,
  examples: `  # Check a backup
  wherry store restore backup.snapshot --data-dir ./restored
  wherry store verify --data-dir ./restored

  # Check the keys in etcd
  wherry store verify --etcd-servers http://127.0.0.1:2379`,
  async run(context) {
    const { stdout } = context.streams;
    const flags = context.inherited(storeFlags);
    const checked: Checked = (text) => stdout.write(`checked ${text}\n`);
    try {
      if (!isInEtcd(flags)) await verifyFiles(await dataDirectory(flags), checked);
      await withStore(context, (store) => verifyStore(store, checked, context.signal));
      stdout.write(`${painted(stdout, "green", "no violation found")}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      stdout.write(`${painted(stdout, "red", "violation")}: ${error.message}\n`);
      return 1;
    }
  },
});

async function verifyFiles(dir: string, checked: Checked): Promise<void> {
  const found = await verifyLmdbStore(join(dir, "store"));
  if (found.violation !== undefined) throw new Violation(found.violation);
  const { records, leases, leftOver } = found;
  const rest = [
    ...(leases === 0 ? [] : [`${counted(leases, "key")} with a time to live`]),
    ...(leftOver === 0 ? [] : [`${leftOver} to be removed by the next compaction`]),
  ];
  const what = `${counted(records, "record")} on disk: checksums, order and counts`;
  checked([what, ...rest].join("; "));
}
