import { expect, test } from "vitest";
import { repeat } from "./repeat.ts";
import { VirtualClock } from "./virtual-clock.ts";

test("repeat: calls until it is cancelled, also from its own call", async () => {
  const clock = new VirtualClock();
  const calls: number[] = [];
  const timer = repeat(clock, 10, () => {
    calls.push(clock.now());
    if (calls.length === 3) timer.cancel();
  });
  await clock.advance(100);
  expect(calls).toEqual([10, 20, 30]);
});
