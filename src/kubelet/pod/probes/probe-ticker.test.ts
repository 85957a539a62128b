import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { ProbeTicker } from "./probe-ticker.ts";

type Row = [name: string, act: (ticker: ProbeTicker) => number, time: number];

each<Row>([
  ["the first tick", (ticker) => ticker.from(0), 5],
  ["a tick that is due now", (ticker) => ticker.from(25), 25],
  ["the tick after a time", (ticker) => ticker.from(26), 35],
  ["the tick after a short probe", (ticker) => after(ticker, [5], 6), 15],
  ["at once after a probe longer than a period", (ticker) => after(ticker, [5], 27), 27],
  ["further ticks during a long probe are dropped", (ticker) => after(ticker, [5, 27], 28), 35],
  ["a probe between ticks uses none", (ticker) => after(ticker, [5, 7], 8), 15],
])("ProbeTicker: %s", (_, act, time) => {
  expect(act(new ProbeTicker(5, 10))).toBe(time);
});

function after(ticker: ProbeTicker, probes: readonly number[], end: number): number {
  for (const at of probes) ticker.begin(at);
  return ticker.after(end);
}

test("ProbeTicker: after a restart the next tick is one period away", () => {
  const ticker = new ProbeTicker(5, 10);
  ticker.restart(7);
  expect([ticker.from(8), ticker.from(18)]).toEqual([17, 27]);
});

test("ProbeTicker: a period of zero does not probe forever at one time", () => {
  const ticker = new ProbeTicker(0, 0);
  ticker.begin(0);
  expect(ticker.after(0)).toBe(1);
});
