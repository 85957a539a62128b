import { command } from "../../cli/command.ts";
import { listRecords } from "./cluster-record.ts";
import { clusterStatus } from "./cluster-status.ts";
import { outputFlags } from "./status-command.ts";
import { statusTable } from "./status-table.ts";

/** Lists the clusters of this user. */
export const listCommand = command({
  name: "list",
  short: "List clusters",
  long: `List the clusters of this user by name, running or stopped.

Exit codes: 0 on success, 2 when the command line is invalid.`,
  flags: outputFlags,
  async run({ flags, streams }) {
    const all = await Promise.all((await listRecords()).map(clusterStatus));
    if (flags.output === "json") streams.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`);
    else if (all.length === 0)
      streams.stderr.write('There are no clusters: start one with "wherry up".\n');
    else streams.stdout.write(statusTable(all, Date.now()));
    return 0;
  },
});
