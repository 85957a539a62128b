import { expect, test } from "vitest";
import { DeadlineExceeded, sleep, withDeadline } from "./clock.ts";
import { VirtualClock } from "./virtual-clock.ts";

test("sleep: resolves when the time has come", async () => {
  const clock = new VirtualClock();
  let woke: number | undefined;
  const sleeping = sleep(clock, 10).then(() => {
    woke = clock.now();
  });
  await clock.advance(20);
  await sleeping;
  expect(woke).toBe(10);
});

test("sleep: an abort ends it with the signal's reason and cancels the timer", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const sleeping = sleep(clock, 10, controller.signal);
  controller.abort("stop");
  await expect(sleeping).rejects.toBe("stop");
  expect(clock.pending).toBe(0);
});

test("sleep: an aborted signal sets no timer", async () => {
  const clock = new VirtualClock();
  await expect(sleep(clock, 10, AbortSignal.abort("stop"))).rejects.toBe("stop");
  expect(clock.pending).toBe(0);
});

test("withDeadline: work in time gives its result and leaves no timer", async () => {
  const clock = new VirtualClock();
  const work = withDeadline({ clock, ms: 10 }, async (signal) => {
    await sleep(clock, 9, signal);
    return "done";
  });
  await clock.advance(9);
  expect([await work, clock.pending]).toEqual(["done", 0]);
});

test("withDeadline: work that ignores its signal is given up at the deadline", async () => {
  const clock = new VirtualClock();
  const work = withDeadline({ clock, ms: 10 }, () => new Promise<never>(() => {}));
  const outcome = expect(work).rejects.toThrow(new DeadlineExceeded(10));
  await clock.advance(10);
  await outcome;
});

test("withDeadline: the caller's signal ends the work with its own reason", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const work = withDeadline({ clock, ms: 10, signal: controller.signal }, (signal) =>
    sleep(clock, 5, signal),
  );
  controller.abort("stop");
  await expect(work).rejects.toBe("stop");
  expect(clock.pending).toBe(0);
});
