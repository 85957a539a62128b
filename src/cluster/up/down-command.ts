import { command } from "../../cli/command.ts";
import { boolFlag, durationFlag } from "../../cli/flag.ts";
import { defaultName } from "./cluster-record.ts";
import { takeDown } from "./take-down.ts";

/** Flags of commands that stop a cluster. */
export const stopFlags = {
  timeout: durationFlag({ usage: "how long it may take to end in good order", default: 30_000 }),
  force: boolFlag({ usage: "whether it is ended by force if it takes longer" }),
};

/** Stops a cluster that runs in the background. */
export const downCommand = command({
  name: "down",
  short: "Stop a cluster",
  long: `Stop a cluster in good order. What is in it stays, for the next "wherry up"; one that was
started with --ephemeral is gone. kubectl goes back to the context it used before.

Exit codes: 0 when the cluster is stopped, also if it was before; 1 when there is none of
that name, or it does not end in time; 2 when the command line makes no sense.`,
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
      streams.stdout.write(
        `The cluster "${name}" is stopped, and all that was in it is removed.\n`,
      );
    else if (!wasRunning) streams.stdout.write(`The cluster "${name}" was not running.\n`);
    else
      streams.stdout.write(
        `The cluster "${name}" is stopped. "wherry up${named}" starts it again, "wherry delete${named}" removes it.\n`,
      );
    return 0;
  },
});
