import { setImmediate } from "node:timers";

/**
 * Resolves when all work has finished that does not wait for a timer: it lets turns of the event loop
 * pass until several in a row leave the activity counter unchanged. Chains of promises finish within one
 * turn.
 */
export async function whenIdle(activity: () => number): Promise<void> {
  let seen = activity();
  for (let quiet = 0, turns = 0; quiet < idleTurns; turns++) {
    if (turns === mostTurns) throw new Error(restless);
    await new Promise<void>((resolve) => void soon(resolve));
    quiet = activity() === seen ? quiet + 1 : 0;
    seen = activity();
  }
}

// Captured before a test runner can replace it.
const soon = setImmediate;

/** The number of turns without activity; code that waits for setImmediate needs several. */
const idleTurns = 3;

const mostTurns = 100_000;
const restless =
  "the cluster does not come to rest: something goes on calling it without ever waiting for time";
