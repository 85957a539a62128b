import { join } from "node:path";
import { command } from "../../cli/command.ts";
import { verifyLmdbStore } from "../../store/lmdb/verify-lmdb-store.ts";
import { dataDirectory, isInEtcd, storeFlags, withStore } from "./command-store.ts";
import { counted } from "./counted.ts";
import { painted } from "./terminal.ts";
import { type Checked, Violation, verifyStore } from "./verify-store.ts";

/** Checks a store, and reports the first thing that is wrong with it. */
export const verifyCommand = command({
  name: "verify",
  short: "Check that a store is as it must be",
  long: `Check all that must hold in a store. On disk: every record has its checksum, none is missing,
their revisions and versions follow each other. In any store: keys are in order and counted
right, objects can be read and are named as their keys, and the history leads to what is there.
What was checked is printed, with how much of it there was, up to the first violation.

The store is only read, also while its server runs: nothing is repaired. Whether objects are as
their kinds want them is not checked: that is what the API server does when they are written.

Exit codes: 0 when all is well, 1 with the first violation, 2 when the command line makes no
sense.`,
  examples: `  # Is a backup of use?
  wherry store restore backup.snapshot --data-dir ./restored
  wherry store verify --data-dir ./restored

  # Is what is in an etcd as it must be?
  wherry store verify --etcd-servers http://127.0.0.1:2379`,
  async run(context) {
    const { stdout } = context.streams;
    const flags = context.inherited(storeFlags);
    const checked: Checked = (text) => stdout.write(`checked ${text}\n`);
    try {
      if (!isInEtcd(flags)) await verifyFiles(await dataDirectory(flags), checked);
      await withStore(context, (store) => verifyStore(store, checked, context.signal));
      stdout.write(`${painted(stdout, "green", "no violation was found")}\n`);
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
    ...(leftOver === 0 ? [] : [`${leftOver} still to be removed by a compaction`]),
  ];
  const what = `${counted(records, "record")} on disk: checksums, order and counts`;
  checked([what, ...rest].join("; "));
}
