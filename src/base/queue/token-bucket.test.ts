import { expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { TokenBucket } from "./token-bucket.ts";

test("token bucket: a burst passes at once, the rest at the rate", async () => {
  const clock = new VirtualClock();
  const bucket = new TokenBucket({ clock, rate: 10, burst: 2 });
  const waits = [bucket.reserve(), bucket.reserve(), bucket.reserve(), bucket.reserve()];
  await clock.advance(250);
  waits.push(bucket.reserve());
  expect(waits).toEqual([0, 0, 100, 200, 50]);
});

test("token bucket: holds no more than its burst", async () => {
  const clock = new VirtualClock();
  const bucket = new TokenBucket({ clock, rate: 10, burst: 2 });
  await clock.advance(60_000);
  expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, false]);
});

test("token bucket: a clock that is set back removes no tokens", () => {
  let now = 1000;
  const clock = { now: () => now, setTimer: () => ({ cancel() {} }) };
  const bucket = new TokenBucket({ clock, rate: 1000, burst: 1 });
  bucket.tryTake();
  now = 0;
  const before = bucket.tryTake();
  now = 1;
  expect([before, bucket.tryTake()]).toEqual([false, true]);
});
