import { createInterface } from "node:readline/promises";
import { command } from "../../cli/command.ts";
import { boolFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { defaultName, knownRecord, runs } from "./cluster-record.ts";
import { stopFlags } from "./down-command.ts";
import { deleteCluster } from "./take-down.ts";

/** Removes a cluster and all that is in it. */
export const deleteCommand = command({
  name: "delete",
  short: "Remove a cluster and all that is in it",
  long: `Stop a cluster if it runs, and remove all that is in it, its log and its context in the
kubeconfig. A directory that holds anything but a cluster's state is never removed.

Exit codes: 0 when it is gone; 1 when there is none of that name, it cannot be removed, or
the answer was no; 2 when the command line makes no sense.`,
  arguments: "[NAME]",
  arity: { max: 1 },
  flags: { ...stopFlags, yes: boolFlag({ short: "y", usage: "do it without asking" }) },
  async run({ flags, args: [name = defaultName], streams, signal }) {
    const record = await knownRecord(name);
    if (!flags.yes && !(await confirmed(name, { isRunning: runs(record), signal }))) {
      streams.stderr.write(`The cluster "${name}" stays.\n`);
      return 1;
    }
    const { warnings } = await deleteCluster(name, {
      timeoutMs: flags.timeout,
      isForced: flags.force,
      signal,
    });
    for (const warning of warnings) streams.stderr.write(`Warning: ${warning}\n`);
    streams.stdout.write(`The cluster "${name}" and all that was in it is removed.\n`);
    return 0;
  },
});

async function confirmed(
  name: string,
  { isRunning, signal }: { readonly isRunning: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError("nobody can be asked here whether to remove it: give --yes");
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const what = isRunning ? `"${name}", which is running,` : `"${name}"`;
    const answer = await reader.question(
      `Remove the cluster ${what} and all that is in it? [y/N] `,
      { signal },
    );
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
