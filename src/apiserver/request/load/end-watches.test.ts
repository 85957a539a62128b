import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { endWatches } from "./end-watches.ts";

test("endWatches: ends the watches of clients evenly over the period, and no others", async () => {
  const clock = new VirtualClock(0);
  const ended: [name: string, at: number][] = [];
  const watcher = (name: string, isOfClient: boolean) => ({
    ...(isOfClient && { isOfClient }),
    changed() {},
    end: () => void ended.push([name, clock.now()]),
  });
  const cache = {
    resources: () => [
      { watchers: new Set([watcher("a", true), watcher("own", false)]) },
      { watchers: new Set([watcher("b", true), watcher("c", true)]) },
    ],
  };
  const end = endWatches(cache as never, { clock, periodMs: 3000 });
  await clock.advance(10_000);
  await end;
  expect(ended).toEqual([
    ["a", 1000],
    ["b", 2000],
    ["c", 3000],
  ]);
  await endWatches(cache as never, { clock, periodMs: 0 });
  expect(ended.length).toBe(3);
});
