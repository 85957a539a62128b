import { command } from "../../cli/command.ts";
import { choiceFlag } from "../../cli/flag.ts";
import { defaultName, knownRecord } from "./cluster-record.ts";
import { clusterStatus } from "./cluster-status.ts";
import { statusTable } from "./status-table.ts";

/** The output format of commands that show clusters. */
export const outputFlags = {
  output: choiceFlag({
    short: "o",
    usage: "the output format: `table` for reading, json for programs",
    choices: ["table", "json"],
    default: "table",
  }),
};

/** Shows the status of a cluster. */
export const statusCommand = command({
  name: "status",
  short: "Show the status of a cluster",
  long: `Show the status of a cluster: whether it is running, how many of its nodes are ready, its URL
and its data directory.

Exit codes: 0 when it is running and all nodes are ready, 1 when there is no cluster of that
name, its API server fails or nodes are not ready, 2 when the command line is invalid, 3 when
it is stopped.`,
  arguments: "[NAME]",
  arity: { max: 1 },
  flags: outputFlags,
  async run({ flags, args: [name = defaultName], streams }) {
    const status = await clusterStatus(await knownRecord(name));
    streams.stdout.write(
      flags.output === "json"
        ? `${JSON.stringify(status, undefined, 2)}\n`
        : statusTable([status], Date.now()),
    );
    return { running: 0, unready: 1, stopped: 3 }[status.state];
  },
});
