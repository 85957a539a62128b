import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { aborted, onAbort } from "./on-abort.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

test("many follow one signal with one listener, and are called once each, in their order", () => {
  const one = new AbortController();
  const called: number[] = [];
  const all = Array.from({ length: 20 }, (_, n) => onAbort(one.signal, () => called.push(n)));
  expect(listeners(one.signal)).toBe(1);
  all[3]?.();
  one.abort();
  one.abort();
  expect(called).toEqual(Array.from({ length: 20 }, (_, n) => n).filter((n) => n !== 3));
});

test("one function that follows twice is called twice, and lets go once at a time", () => {
  const one = new AbortController();
  let calls = 0;
  const count = (): void => void calls++;
  const [first] = [
    onAbort(one.signal, count),
    onAbort(one.signal, count),
    onAbort(one.signal, count),
  ];
  first();
  one.abort();
  expect(calls).toBe(2);
});

test("who is followed by nobody any more has no listener left, and can be followed again", () => {
  const one = new AbortController();
  const [first, second] = [onAbort(one.signal, () => {}), onAbort(one.signal, () => {})];
  first();
  first();
  expect(listeners(one.signal)).toBe(1);
  second();
  expect(listeners(one.signal)).toBe(0);
  let isCalled = false;
  onAbort(one.signal, () => {
    isCalled = true;
  });
  // That somebody lets go twice takes nothing from others.
  second();
  one.abort();
  expect(isCalled).toBe(true);
});

test("of a signal that has aborted it calls at once, of none never", () => {
  let calls = 0;
  onAbort(AbortSignal.abort(), () => void calls++)();
  onAbort(undefined, () => void calls++)();
  expect(calls).toBe(1);
});

test("who follows while a signal aborts is called, and who lets go then is not", () => {
  const one = new AbortController();
  const called: string[] = [];
  onAbort(one.signal, () => {
    onAbort(one.signal, () => called.push("late"));
    leave();
  });
  const leave = onAbort(one.signal, () => called.push("left"));
  one.abort();
  expect(called).toEqual(["late"]);
});

test("it resolves when a signal aborts, or has", async () => {
  const one = new AbortController();
  const waiting = Promise.all([aborted(one.signal), aborted(AbortSignal.abort())]);
  one.abort();
  await expect(waiting).resolves.toHaveLength(2);
});
