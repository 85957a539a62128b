import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { linkedSignal } from "./linked-signal.ts";

test("a signal follows the first of others that aborts, with its reason", () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const linked = linkedSignal(a.signal, undefined, b.signal);
  expect(linked.signal.aborted).toBe(false);
  b.abort("b ends");
  a.abort("a ends");
  expect(linked.signal.reason).toBe("b ends");
});

test("one that follows what has aborted already has aborted, too", () => {
  expect(linkedSignal(AbortSignal.abort("over")).signal.reason).toBe("over");
});

test("many follow one signal with one listener, until they let it go", () => {
  const one = new AbortController();
  const all = Array.from({ length: 20 }, () => linkedSignal(one.signal));
  expect(getEventListeners(one.signal, "abort")).toHaveLength(1);
  all[3]?.unlink();
  all[4]?.abort("by itself");
  one.abort("over");
  const reasons = all.map(({ signal }) => signal.reason as unknown);
  expect(reasons[3]).toBeUndefined();
  expect(reasons[4]).toBe("by itself");
  expect(reasons.filter((reason) => reason === "over")).toHaveLength(18);
});

test("who is followed by nobody any more has no listener left, and can be followed again", () => {
  const one = new AbortController();
  const [first, second] = [linkedSignal(one.signal), linkedSignal(one.signal)];
  first.unlink();
  first.unlink();
  expect(getEventListeners(one.signal, "abort")).toHaveLength(1);
  second.unlink();
  expect(getEventListeners(one.signal, "abort")).toEqual([]);
  const again = linkedSignal(one.signal);
  // That somebody lets go twice takes nothing from others.
  second.unlink();
  one.abort("over");
  expect(again.signal.reason).toBe("over");
});
