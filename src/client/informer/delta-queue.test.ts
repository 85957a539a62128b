import { expect, test } from "vitest";
import { DeltaQueue } from "./delta-queue.ts";

function recorded(): { readonly queue: DeltaQueue<string>; readonly lines: string[] } {
  const lines: string[] = [];
  const queue = new DeltaQueue<string>({
    added: (object, isInitial) =>
      void lines.push(`added ${object}${isInitial ? " (initial)" : ""}`),
    updated: (object, old) => void lines.push(`updated ${old} to ${object}`),
    deleted: (object, isStale) => void lines.push(`deleted ${object}${isStale ? " (stale)" : ""}`),
  });
  return { queue, lines };
}

test("every delta is delivered once, in order, one object at a time", () => {
  const { queue, lines } = recorded();
  queue.push({ type: "present", objects: ["a", "b"] });
  queue.push({ type: "added", object: "c" });
  queue.deliverNext();
  queue.push({ type: "updated", object: "a2", old: "a" });
  queue.push({ type: "resync", objects: ["a2", "b", "c"] });
  queue.push({ type: "deleted", object: "b", isStale: true });
  queue.push({ type: "present", objects: [] });
  expect([queue.received, queue.delivered]).toEqual([8, 1]);
  while (queue.delivered < queue.received) queue.deliverNext();
  expect(lines).toEqual([
    "added a (initial)",
    "added b (initial)",
    "added c",
    "updated a to a2",
    "updated a2 to a2",
    "updated b to b",
    "updated c to c",
    "deleted b (stale)",
  ]);
  queue.deliverNext();
  expect([lines.length, queue.delivered]).toEqual([8, 8]);
});

test("an error of the handler is thrown, and the delta counts as delivered", () => {
  const queue = new DeltaQueue<string>({
    added() {
      throw new Error("no");
    },
  });
  queue.push({ type: "present", objects: ["a", "b"] });
  expect(() => queue.deliverNext()).toThrow("no");
  expect(() => queue.deliverNext()).toThrow("no");
  expect([queue.delivered, queue.deliverNext()]).toEqual([2, undefined]);
});

test("delivered deltas are freed while others are still pending", () => {
  const { queue, lines } = recorded();
  for (let round = 0; round < 3000; round++) {
    for (const object of ["a", "b"]) queue.push({ type: "added", object: `${object}${round}` });
    queue.deliverNext();
  }
  while (queue.delivered < queue.received) queue.deliverNext();
  const expected = Array.from({ length: 3000 }, (_, i) => [`added a${i}`, `added b${i}`]).flat();
  expect(lines).toEqual(expected);
});

test("cleared deltas are never delivered", () => {
  const { queue, lines } = recorded();
  queue.push({ type: "present", objects: ["a", "b"] });
  queue.deliverNext();
  queue.clear();
  queue.deliverNext();
  queue.push({ type: "added", object: "c" });
  queue.deliverNext();
  expect(lines).toEqual(["added a (initial)", "added c"]);
});
