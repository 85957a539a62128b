import { command } from "../../cli/command.ts";
import { choiceFlag } from "../../cli/flag.ts";
import { defaultName, knownRecord } from "./cluster-record.ts";
import { clusterStatus } from "./cluster-status.ts";
import { statusTable } from "./status-table.ts";

/** How commands that show clusters show them. */
export const outputFlags = {
  output: choiceFlag({
    short: "o",
    usage: "how to show it: `table` for people, json for programs",
    choices: ["table", "json"],
    default: "table",
  }),
};

/** Shows how a cluster is doing. */
export const statusCommand = command({
  name: "status",
  short: "Show how a cluster is doing",
  long: `Show how a cluster is doing: whether it runs, how many of its nodes are ready, where it is
reached and where its state is.

Exit codes: 0 when it runs and all nodes are ready, 1 when there is none of that name or it
does not answer as it should, 2 when the command line makes no sense, 3 when it is stopped.`,
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
