import { command } from "../../cli/command.ts";
import { durationFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import type { Store } from "../../store/store.ts";
import { withWritableStore } from "./command-store.ts";
import { oldestRevision } from "./key-history.ts";
import { revisionBefore } from "./revision-before.ts";

/** Removes versions that were superseded before a revision. */
export const compactCommand = command({
  name: "compact",
  short: "Remove the history before a revision",
  long: `Remove versions that were superseded at or before REVISION; current objects are kept. Without
REVISION, remove all history; with --keep, remove history that is older. Revisions have no time
of their own: their age is taken from the objects that they wrote.

A running API server compacts its store itself, every --etcd-compaction-interval: use this command
for stores whose server is stopped. An etcd can be compacted at any time; API servers that still
read older revisions list again.

Files do not shrink at once: freed space is reused, and returned to the disk when a server opens a
store that is mostly free. For etcd, use "etcdctl defrag".

Exit codes: 0 on success, 1 when the store is in use or the revision is not kept, 2 when the
command line is invalid.`,
  arguments: "[REVISION]",
  arity: { max: 1 },
  examples: `  # Remove all history
  wherry store compact --data-dir ./data

  # Keep the history of the last hour
  wherry store compact --data-dir ./data --keep 1h`,
  flags: {
    keep: durationFlag({ usage: "keep the history of this `DURATION`, such as 10m or 1h" }),
  },
  async run(context) {
    const { flags, given, args, streams, signal } = context;
    if (given.has("keep") && args.length > 0)
      throw new UsageError("REVISION and --keep exclude each other");
    if (flags.keep < 0) throw new UsageError("--keep must not be negative");
    const asked = readRevision(args[0]);
    return withWritableStore(context, whileServed, async (store) => {
      const revision = given.has("keep")
        ? await revisionBefore(store, Date.now() - flags.keep, signal)
        : (asked ?? (await store.currentRevision()));
      if (revision === undefined) {
        const age = formatDuration(BigInt(Math.round(flags.keep * 1e6)));
        streams.stdout.write(`nothing to compact: no revision is known to be older than ${age}\n`);
        return 0;
      }
      streams.stdout.write(await compact(store, revision));
      return 0;
    });
  },
});

const whileServed =
  "an API server compacts its store itself, every --etcd-compaction-interval: there is nothing to do";

async function compact(store: Store, revision: number): Promise<string> {
  const current = await store.currentRevision();
  if ((await oldestRevision(store)) === revision)
    return `nothing to compact: the oldest revision is ${revision} already\n`;
  await store.compact(revision);
  return `compacted: the oldest revision is now ${revision}; the current one is ${current}\n`;
}

function readRevision(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9][0-9]*$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new UsageError(`a revision is a number above 0, not ${JSON.stringify(text)}`);
  return Number(text);
}
