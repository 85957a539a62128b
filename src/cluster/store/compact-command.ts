import { command } from "../../cli/command.ts";
import { durationFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import type { Store } from "../../store/store.ts";
import { withWritableStore } from "./command-store.ts";
import { oldestRevision } from "./key-history.ts";
import { revisionBefore } from "./revision-before.ts";

/** Forgets what was superseded before a revision. */
export const compactCommand = command({
  name: "compact",
  short: "Forget old revisions",
  long: `Forget what was superseded at or before REVISION: what is there now stays, its history before that
goes. Without REVISION all history goes; with --keep, what is older than that. Revisions
carry no time of their own: how old they are is told by the objects that they wrote.

An API server that runs compacts its store itself, every --etcd-compaction-interval: this is
for stores whose server is stopped. In an etcd it may be done at any time; what its API servers
still read of the past they then read anew.

Files do not get smaller by it: the space is used again, and given back when a server opens a
store that is mostly free. An etcd gives it back with "etcdctl defrag".

Exit codes: 0, 1 when it is in use or the revision is none that is kept, 2 when the command
line makes no sense.`,
  arguments: "[REVISION]",
  arity: { max: 1 },
  examples: `  # Forget all history
  wherry store compact --data-dir ./data

  # Keep what happened in the last hour
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
        streams.stdout.write(`nothing to forget: no revision is known to be older than ${age}\n`);
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
    return `nothing to forget: revision ${revision} is the oldest that is kept\n`;
  await store.compact(revision);
  return `compacted: revision ${revision} is the oldest that is kept now; the current one is ${current}\n`;
}

function readRevision(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9][0-9]*$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new UsageError(`a revision is a number above 0, not ${JSON.stringify(text)}`);
  return Number(text);
}
