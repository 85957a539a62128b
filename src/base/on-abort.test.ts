import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { aborted, onAbort } from "./on-abort.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

test("onAbort: many callbacks share one listener, and run once each, in order", () => {
  const one = new AbortController();
  const called: number[] = [];
  const all = Array.from({ length: 20 }, (_, n) => onAbort(one.signal, () => called.push(n)));
  expect(listeners(one.signal)).toBe(1);
  all[3]?.();
  one.abort();
  one.abort();
  expect(called).toEqual(Array.from({ length: 20 }, (_, n) => n).filter((n) => n !== 3));
});

test("onAbort: a callback that is subscribed twice runs twice, and is unsubscribed once at a time", () => {
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

test("onAbort: the last unsubscribe removes the listener, and the signal can be subscribed to again", () => {
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
  // Unsubscribing twice does not affect other callbacks.
  second();
  one.abort();
  expect(isCalled).toBe(true);
});

test("onAbort: calls back at once for an aborted signal, and never without a signal", () => {
  let calls = 0;
  onAbort(AbortSignal.abort(), () => void calls++)();
  onAbort(undefined, () => void calls++)();
  expect(calls).toBe(1);
});

test("onAbort: a callback added during the abort runs, one removed during it does not", () => {
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

test("aborted: resolves when a signal aborts, or has aborted", async () => {
  const one = new AbortController();
  const waiting = Promise.all([aborted(one.signal), aborted(AbortSignal.abort())]);
  one.abort();
  await expect(waiting).resolves.toHaveLength(2);
});
