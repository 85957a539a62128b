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

test("one that lets the others go follows none of them", () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const linked = linkedSignal(a.signal, b.signal);
  linked.unlink();
  a.abort("a ends");
  b.abort("b ends");
  expect(linked.signal.aborted).toBe(false);
  linked.abort("by itself");
  expect(linked.signal.reason).toBe("by itself");
});
