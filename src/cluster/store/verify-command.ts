import { command } from "../../cli/command.ts";
import { withStore } from "./open-store.ts";
import { painted } from "./terminal.ts";
import { Violation, verifyStore } from "./verify-store.ts";

/** Checks a store, and tells the first thing that is wrong with it. */
export const verifyCommand = command({
  name: "verify",
  short: "Check that a store is as it must be",
  long: `Check all that must hold in a store: keys are in order and counted right, objects can be read and
are named as their keys, and the history leads to what is there. What was checked is printed,
with how much of it there was, up to the first violation.

The store is only read, also while its server runs.

Exit codes: 0 when all is well, 1 with the first violation, 2 when the command line makes no
sense.`,
  examples: `  # Is a backup of use?
  wherry store verify --data-dir ./data`,
  run: (context) =>
    withStore(context, async (store) => {
      const { stdout } = context.streams;
      try {
        await verifyStore(store, (text) => stdout.write(`checked ${text}\n`), context.signal);
        stdout.write(`${painted(stdout, "green", "no violation was found")}\n`);
        return 0;
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        stdout.write(`${painted(stdout, "red", "violation")}: ${error.message}\n`);
        return 1;
      }
    }),
});
