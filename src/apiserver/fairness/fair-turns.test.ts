import { expect, test } from "vitest";
import { FairTurns } from "./fair-turns.ts";

/** Turns that a test ends, and the requests that have started. */
function observed() {
  const ends: (() => void)[] = [];
  const turns = new FairTurns((run) => ends.push(run));
  const started: string[] = [];
  return {
    started,
    take(flow: string, name: string, seats = 1): void {
      const turn = turns.take(flow, seats);
      if (turn !== undefined) void turn.then(() => started.push(name));
      else started.push(name);
    },
    async endTurn() {
      const end = ends.shift();
      end?.();
      await Promise.resolve();
      return end !== undefined;
    },
  };
}

test("FairTurns: a few requests start at once, and another flow's before the rest of a greedy one", async () => {
  const { take, started, endTurn } = observed();
  for (let n = 0; n < 10; n++) take("greedy", `greedy ${n}`);
  take("modest", "modest");
  expect(started).toEqual(["greedy 0", "greedy 1", "greedy 2", "greedy 3"]);
  await endTurn();
  expect(started.slice(4)).toEqual(["greedy 4", "modest", "greedy 5", "greedy 6"]);
  await endTurn();
  expect(started.slice(8)).toEqual(["greedy 7", "greedy 8", "greedy 9"]);
});

test("FairTurns: a request of many seats has the rest of the turn", async () => {
  const { take, started, endTurn } = observed();
  take("lists", "list 0", 10);
  take("lists", "list 1", 10);
  take("leases", "renewal");
  expect(started).toEqual(["list 0"]);
  await endTurn();
  expect(started).toEqual(["list 0", "list 1"]);
  await endTurn();
  expect(started).toEqual(["list 0", "list 1", "renewal"]);
});

test("FairTurns: nothing is scheduled once no request has started in a turn", async () => {
  const { take, endTurn } = observed();
  take("one", "first");
  expect(await endTurn()).toBe(true);
  expect(await endTurn()).toBe(false);
});
