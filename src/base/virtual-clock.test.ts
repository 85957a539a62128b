import { expect, test } from "vitest";
import { VirtualClock } from "./virtual-clock.ts";

test("advance: fires due timers, earlier ones first, and of two at the same time the one set first", async () => {
  const clock = new VirtualClock(100);
  const fired: [string, number][] = [];
  const note = (name: string) => () => fired.push([name, clock.now()]);
  clock.setTimer(30, note("late"));
  clock.setTimer(10, note("first"));
  clock.setTimer(10, note("second"));
  clock.setTimer(31, note("not yet"));
  clock.setTimer(-5, note("at once"));
  await clock.advance(30);
  expect(fired).toEqual([
    ["at once", 100],
    ["first", 110],
    ["second", 110],
    ["late", 130],
  ]);
  expect([clock.now(), clock.pending, clock.nextTimer()]).toEqual([130, 1, 131]);
});

test("advance: the work that a timer starts settles before the next timer fires", async () => {
  const clock = new VirtualClock();
  const order: string[] = [];
  clock.setTimer(1, () => {
    void (async () => {
      for (let i = 0; i < 5; i++) await undefined;
      order.push("woken by the first");
    })();
  });
  clock.setTimer(2, () => order.push("second"));
  await clock.advance(2);
  expect(order).toEqual(["woken by the first", "second"]);
});

test("advance: a timer set by a timer fires in the same advance when it is due", async () => {
  const clock = new VirtualClock();
  const fired: number[] = [];
  const again = (): void => {
    fired.push(clock.now());
    clock.setTimer(10, again);
  };
  clock.setTimer(10, again);
  await clock.advance(35);
  expect(fired).toEqual([10, 20, 30]);
});

test("advance: waits for the settle function it was given", async () => {
  let settled = 0;
  const clock = new VirtualClock(0, { settle: () => Promise.resolve(void settled++) });
  clock.setTimer(1, () => {});
  await clock.advance(1);
  expect(settled).toBe(2);
});

test("advance: is rejected while another is running", async () => {
  const clock = new VirtualClock();
  const first = clock.advance(1);
  await expect(clock.advance(1)).rejects.toThrow("advancing already");
  await first;
  await clock.advance(1);
  expect(clock.now()).toBe(2);
});

test("cancel: a cancelled timer never fires, and may be cancelled again", async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  const timer = clock.setTimer(1, () => fired.push("cancelled"));
  clock.setTimer(1, () => fired.push("kept"));
  timer.cancel();
  timer.cancel();
  await clock.advance(1);
  expect([fired, clock.pending]).toEqual([["kept"], 0]);
});

test("fork: copies the time, not the timers", async () => {
  const clock = new VirtualClock(5);
  const fired: string[] = [];
  clock.setTimer(1, () => fired.push("original"));
  const fork = clock.fork();
  await fork.advance(10);
  expect([fork.now(), clock.now(), fired, clock.pending]).toEqual([15, 5, [], 1]);
});
