import { expect, test } from "vitest";
import { sleep } from "../base/clock.ts";
import { realClock } from "./real-clock.ts";

test("real clock: returns the machine's time, and a timer fires after its delay", async () => {
  const start = realClock.now();
  const ticks = realClock.ticks?.() ?? 0;
  await sleep(realClock, 5);
  expect((realClock.ticks?.() ?? 0) - ticks).toBeGreaterThanOrEqual(4);
  // Timers and the time of day use different clocks: allow one millisecond.
  expect(realClock.now() - start).toBeGreaterThanOrEqual(4);
  expect(Math.abs(realClock.now() - Date.now())).toBeLessThan(1000);
});

test("real clock: a cancelled timer does not fire", async () => {
  const fired: string[] = [];
  const timer = realClock.setTimer(1, () => fired.push("cancelled"));
  timer.cancel();
  await sleep(realClock, 3);
  expect(fired).toEqual([]);
});

test("real clock: a delay above the maximum of setTimeout does not fire at once", async () => {
  const fired: string[] = [];
  const timer = realClock.setTimer(2 ** 40, () => fired.push("too early"));
  await sleep(realClock, 3);
  timer.cancel();
  expect(fired).toEqual([]);
});
