import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { TimedEvictions } from "./timed-evictions.ts";

function evictions() {
  const clock = new VirtualClock();
  const due: string[] = [];
  const timed = new TimedEvictions(clock, (pod) => due.push(`${pod} ${clock.now() / 1000}`));
  return { clock, due, timed };
}

test("TimedEvictions: a second call does not change the time", async () => {
  const { clock, due, timed } = evictions();
  timed.later("p", 5_000);
  await clock.advance(3_000);
  timed.later("p", 5_000);
  timed.later("p", 1_000);
  await clock.advance(10_000);
  expect(due).toEqual(["p 5"]);
});

test("TimedEvictions: a cancelled pod is not evicted, and can be scheduled again", async () => {
  const { clock, due, timed } = evictions();
  timed.later("p", 5_000);
  await clock.advance(4_000);
  expect(timed.cancel("p")).toBe(true);
  expect(timed.cancel("p")).toBe(false);
  timed.later("p", 5_000);
  await clock.advance(10_000);
  expect(due).toEqual(["p 9"]);
});

test("TimedEvictions: a due pod cannot be cancelled, and can be scheduled again once it is done", async () => {
  const { clock, due, timed } = evictions();
  timed.now("p");
  timed.now("p");
  timed.later("p", 1_000);
  expect(timed.cancel("p")).toBe(false);
  await clock.advance(2_000);
  expect(due).toEqual(["p 0"]);
  timed.done("p");
  timed.now("p");
  expect(due).toEqual(["p 0", "p 2"]);
});

test("TimedEvictions: close cancels all timers", () => {
  const { clock, timed } = evictions();
  timed.later("p", 5_000);
  timed.close();
  expect(clock.pending).toBe(0);
  expect(timed.size).toBe(0);
});
