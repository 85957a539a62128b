import { expect, test } from "vitest";
import { linkedSignal } from "./linked-signal.ts";

test("a linked signal aborts with the first of the others, with its reason", () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const linked = linkedSignal(a.signal, undefined, b.signal);
  expect(linked.signal.aborted).toBe(false);
  b.abort("b ends");
  a.abort("a ends");
  expect(linked.signal.reason).toBe("b ends");
});

test("a signal linked to an aborted one is aborted", () => {
  expect(linkedSignal(AbortSignal.abort("over")).signal.reason).toBe("over");
});

test("an unlinked signal does not abort with the others", () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const linked = linkedSignal(a.signal, b.signal);
  linked.unlink();
  a.abort("a ends");
  b.abort("b ends");
  expect(linked.signal.aborted).toBe(false);
  linked.abort("by itself");
  expect(linked.signal.reason).toBe("by itself");
});
