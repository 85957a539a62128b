import { command } from "../../cli/command.ts";
import { boolFlag, durationFlag } from "../../cli/flag.ts";
import { defaultName } from "./cluster-record.ts";
import { takeDown } from "./take-down.ts";

/** The flags of commands that stop a cluster. */
export const stopFlags = {
  timeout: durationFlag({ usage: "how long the cluster may take to stop", default: 30_000 }),
  force: boolFlag({ usage: "kill the cluster's process if it does not stop in time" }),
};

/** Stops a cluster that runs in the background. */
export const downCommand = command({
  name: "down",
  short: "Stop a cluster",
  long: `Stop a cluster. Its data is kept for the next "wherry up", unless it was started with
--ephemeral: then it is deleted. The context that was current before becomes current again.

Exit codes: 0 when the cluster is stopped, also if it was stopped before; 1 when there is no
cluster of that name, or it does not stop in time; 2 when the command line is invalid.`,
  arguments: "[NAME]",
  arity: { max: 1 },
  flags: stopFlags,
  async run({ flags, args: [name = defaultName], streams, signal }) {
    const { record, wasRunning, warnings } = await takeDown(name, {
      timeoutMs: flags.timeout,
      isForced: flags.force,
      signal,
    });
    for (const warning of warnings) streams.stderr.write(`Warning: ${warning}\n`);
    const named = name === defaultName ? "" : ` ${name}`;
    if (record.isEphemeral)
      streams.stdout.write(`The cluster "${name}" is stopped and its data was deleted.\n`);
    else if (!wasRunning) streams.stdout.write(`The cluster "${name}" was not running.\n`);
    else
      streams.stdout.write(
        `The cluster "${name}" is stopped. "wherry up${named}" starts it again, "wherry delete${named}" deletes it.\n`,
      );
    return 0;
  },
});
