import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { FailedPodBackoff } from "./failed-pod-backoff.ts";

test("FailedPodBackoff: delays double up to a quarter of an hour, and start over after twice that", async () => {
  const clock = new VirtualClock();
  const backoff = new FailedPodBackoff();
  const delays: number[] = [];
  for (let i = 0; i < 13; i++) {
    expect(backoff.next("a", clock)).toBe(0);
    const delay = backoff.next("a", clock);
    delays.push(delay / 1000);
    await clock.advance(delay);
  }
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  expect(backoff.next("b", clock)).toBe(0);
  await clock.advance(30 * 60_000);
  expect(backoff.next("a", clock)).toBe(0);
  expect(backoff.next("a", clock)).toBe(1000);
});
