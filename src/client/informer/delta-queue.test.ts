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

test("everything is told once, in order, one at a time", () => {
  const { queue, lines } = recorded();
  queue.push({ type: "present", objects: ["a", "b"] });
  queue.push({ type: "added", object: "c" });
  queue.tell();
  queue.push({ type: "updated", object: "a2", old: "a" });
  queue.push({ type: "resync", objects: ["a2", "b", "c"] });
  queue.push({ type: "deleted", object: "b", isStale: true });
  queue.push({ type: "present", objects: [] });
  expect([queue.received, queue.told]).toEqual([8, 1]);
  while (queue.told < queue.received) queue.tell();
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
  queue.tell();
  expect([lines.length, queue.told]).toEqual([8, 8]);
});

test("what a handler throws is thrown, and counts as told", () => {
  const queue = new DeltaQueue<string>({
    added() {
      throw new Error("no");
    },
  });
  queue.push({ type: "present", objects: ["a", "b"] });
  expect(() => queue.tell()).toThrow("no");
  expect(() => queue.tell()).toThrow("no");
  expect([queue.told, queue.tell()]).toEqual([2, undefined]);
});

test("what waits for long does not hold on to what was told", () => {
  const { queue, lines } = recorded();
  for (let round = 0; round < 3000; round++) {
    for (const object of ["a", "b"]) queue.push({ type: "added", object: `${object}${round}` });
    queue.tell();
  }
  while (queue.told < queue.received) queue.tell();
  const expected = Array.from({ length: 3000 }, (_, i) => [`added a${i}`, `added b${i}`]).flat();
  expect(lines).toEqual(expected);
});

test("what is cleared is never told", () => {
  const { queue, lines } = recorded();
  queue.push({ type: "present", objects: ["a", "b"] });
  queue.tell();
  queue.clear();
  queue.tell();
  queue.push({ type: "added", object: "c" });
  queue.tell();
  expect(lines).toEqual(["added a (initial)", "added c"]);
});
