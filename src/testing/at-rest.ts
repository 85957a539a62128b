import { setImmediate } from "node:timers";

/**
 * Resolves when all that is under way has come to rest but for what waits for time: turns of the event
 * loop pass until several in a row bring no activity, which is any number that grows with it. Promises
 * that wait for other promises alone are all done within one turn.
 */
export async function atRest(activity: () => number): Promise<void> {
  let seen = activity();
  for (let quiet = 0, turns = 0; quiet < quietTurns; turns++) {
    if (turns === mostTurns) throw new Error(restless);
    await new Promise<void>((resolve) => void setImmediate(resolve));
    quiet = activity() === seen ? quiet + 1 : 0;
    seen = activity();
  }
}

/** So many turns code may take that waits for its own, such as with setImmediate. */
const quietTurns = 3;

const mostTurns = 100_000;
const restless =
  "the cluster does not come to rest: something goes on calling it without ever waiting for time";
