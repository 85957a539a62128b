import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { aPodInfo } from "../framework/framework.test-support.ts";
import { type QueuedPod, queuedPod } from "../framework/queued-pod.ts";
import { BackoffQueue } from "./backoff-queue.ts";

const start = 1_000_500;

function queueAt(at = start) {
  const clock = new VirtualClock(at);
  const queue = new BackoffQueue({
    clock,
    initialMs: 1000,
    maxMs: 10_000,
    less: (a, b) => a.info.priority > b.info.priority,
  });
  return { clock, queue };
}

const rejected = (name: string, times: number, priority = 0): QueuedPod => ({
  ...queuedPod(aPodInfo(name, { spec: { priority } }), start),
  unschedulableCount: times,
  unschedulablePlugins: new Set(["X"]),
});
const failed = (name: string, times: number): QueuedPod => ({
  ...queuedPod(aPodInfo(name), start),
  consecutiveErrors: times,
});

test.each([
  [1, 1000],
  [2, 2000],
  [3, 4000],
  [4, 8000],
  [5, 10_000],
  [50, 10_000],
])("after %d attempts a pod waits %d ms, up to the full second", async (times, ms) => {
  const { clock, queue } = queueAt();
  const pod = rejected("p", times);
  const end = Math.floor((start + ms) / 1000) * 1000;
  queue.add(pod);
  expect(queue.nextAt).toBe(end + 1000);
  await clock.advance(end + 999 - start);
  expect(queue.isBackingOff(pod)).toBe(true);
  expect(queue.popCompleted()).toEqual([]);
  await clock.advance(1);
  expect(queue.popCompleted()).toEqual([pod]);
});

test("within one second, pods are ordered by priority", () => {
  const { queue } = queueAt();
  const pods = [rejected("late", 2, 9), rejected("low", 1, 1), rejected("high", 1, 5)];
  for (const pod of pods) queue.add(pod);
  const order = [queue.popEarly(), queue.popEarly(), queue.popEarly()].map((pod) => pod?.info.name);
  expect(order).toEqual(["high", "low", "late"]);
});

test("an unschedulable pod may be popped early, one after an error may not", () => {
  const { queue } = queueAt();
  queue.add(failed("wrong", 1));
  expect(queue.popEarly()).toBeUndefined();
  queue.add(rejected("away", 1));
  expect(queue.popEarly()?.info.name).toBe("away");
  expect(queue.size).toBe(1);
  expect(queue.delete("default/wrong")?.info.name).toBe("wrong");
  expect(queue.nextAt).toBeUndefined();
});

test("a pod without attempts has no backoff", () => {
  const { queue } = queueAt();
  expect(queue.isBackingOff(queuedPod(aPodInfo("new"), start))).toBe(false);
});
