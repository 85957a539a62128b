import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { ApplyLoop } from "./apply-loop.ts";

/** A loop on a virtual clock, with the times of its runs. */
function startLoop(apply: () => Promise<void>) {
  const clock = new VirtualClock(0);
  const runs: number[] = [];
  const failures: unknown[] = [];
  const loop = new ApplyLoop({
    ...{ clock, minIntervalMs: 50, maxRetryMs: 1000 },
    apply() {
      runs.push(clock.now());
      return apply();
    },
    failed: (error) => failures.push(error),
  });
  return { clock, loop, runs, failures };
}

test("ApplyLoop: changes that come together are applied together, later ones after an interval", async () => {
  const { clock, loop, runs } = startLoop(async () => {});
  for (let i = 0; i < 5; i++) loop.wake();
  await clock.advance(10);
  loop.wake();
  await clock.advance(1000);
  expect(runs).toEqual([0, 50]);
});

test("ApplyLoop: a failed run is repeated, at longer and longer intervals", async () => {
  let works = false;
  const { clock, loop, runs, failures } = startLoop(async () => {
    if (!works) throw new Error("no");
  });
  loop.wake();
  await clock.advance(3000);
  expect(runs).toEqual([0, 200, 600, 1400, 2400]);
  works = true;
  await clock.advance(10_000);
  expect([runs.length, failures.length]).toEqual([6, 5]);
});

test("ApplyLoop: who waits for changes learns how the next run ends, without an interval", async () => {
  let works = true;
  const { clock, loop, runs } = startLoop(async () => {
    if (!works) throw new Error("no");
  });
  loop.wake();
  await clock.advance(1);
  const applied = loop.applied();
  await clock.advance(0);
  await applied;
  expect(runs).toEqual([0, 1]);
  works = false;
  const failed = expect(loop.applied()).rejects.toThrow("no");
  await clock.advance(0);
  await failed;
  const closed = expect(loop.applied()).rejects.toThrow("aborted");
  await loop.close();
  await closed;
});
