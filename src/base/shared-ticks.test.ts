import { expect, test } from "vitest";
import { onSharedTicks } from "./shared-ticks.ts";
import { VirtualClock } from "./virtual-clock.ts";

test("onSharedTicks: calls of one period share a timer, until all have ended", async () => {
  const clock = new VirtualClock();
  const calls: string[] = [];
  const first = onSharedTicks(clock, 1000, () => void calls.push(`a ${clock.now()}`));
  await clock.advance(600);
  const second = onSharedTicks(clock, 1000, () => void calls.push(`b ${clock.now()}`));
  expect(clock.pending).toBe(1);
  await clock.advance(1500);
  expect(calls).toEqual(["a 1000", "b 1000", "a 2000", "b 2000"]);
  first();
  await clock.advance(1000);
  expect(calls.slice(4)).toEqual(["b 3000"]);
  second();
  expect(clock.pending).toBe(0);
  await clock.advance(5000);
  expect(calls).toHaveLength(5);
});

test("onSharedTicks: a call may end another, and begin a new one", async () => {
  const clock = new VirtualClock();
  const calls: string[] = [];
  let endSecond = (): void => {};
  const endFirst = onSharedTicks(clock, 10, () => {
    calls.push("first");
    endSecond();
    endFirst();
    onSharedTicks(clock, 10, () => void calls.push("third"));
  });
  endSecond = onSharedTicks(clock, 10, () => void calls.push("second"));
  await clock.advance(25);
  expect(calls).toEqual(["first", "third"]);
});
