import { createInterface } from "node:readline/promises";
import { command } from "../../cli/command.ts";
import { boolFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { defaultName, knownRecord, runs } from "./cluster-record.ts";
import { stopFlags } from "./down-command.ts";
import { deleteCluster } from "./take-down.ts";

/** Deletes a cluster and its data. */
export const deleteCommand = command({
  name: "delete",
  short: "Delete a cluster and its data",
  long: `Stop a cluster if it is running, and delete its data, its log and its context in the
kubeconfig. A data directory that also holds other files is never removed.

Exit codes: 0 when the cluster is deleted; 1 when there is no cluster of that name, it cannot
be deleted, or the answer was no; 2 when the command line is invalid.`,
  arguments: "[NAME]",
  arity: { max: 1 },
  flags: {
    ...stopFlags,
    yes: boolFlag({ short: "y", usage: "delete without asking for confirmation" }),
  },
  async run({ flags, args: [name = defaultName], streams, signal }) {
    const record = await knownRecord(name);
    if (!flags.yes && !(await confirmed(name, { isRunning: runs(record), signal }))) {
      streams.stderr.write(`The cluster "${name}" was not deleted.\n`);
      return 1;
    }
    const { warnings } = await deleteCluster(name, {
      timeoutMs: flags.timeout,
      isForced: flags.force,
      signal,
    });
    for (const warning of warnings) streams.stderr.write(`Warning: ${warning}\n`);
    streams.stdout.write(`The cluster "${name}" and its data were deleted.\n`);
    return 0;
  },
});

async function confirmed(
  name: string,
  { isRunning, signal }: { readonly isRunning: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      "standard input is not a terminal, so there is nobody to confirm: give --yes",
    );
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const what = isRunning ? `"${name}", which is running,` : `"${name}"`;
    const answer = await reader.question(`Delete the cluster ${what} and its data? [y/N] `, {
      signal,
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
