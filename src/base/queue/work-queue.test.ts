import { expect, test } from "vitest";
import { WorkQueue } from "./work-queue.ts";

test("work queue: hands items out in order, each once", async () => {
  const queue = new WorkQueue<string>();
  for (const item of ["a", "b", "a", "c"]) queue.add(item);
  const taken = [await queue.get(), await queue.get(), await queue.get()];
  expect([taken, queue.length]).toEqual([["a", "b", "c"], 0]);
});

test("work queue: an item added while it is processed is handed out again when it is done", async () => {
  const queue = new WorkQueue<string>();
  queue.add("a");
  await queue.get();
  queue.add("a");
  queue.add("a");
  expect([queue.length, queue.idle]).toEqual([0, false]);
  queue.done("a");
  expect([queue.length, await queue.get()]).toEqual([1, "a"]);
  queue.done("a");
  expect([queue.length, queue.idle]).toEqual([0, true]);
});

test("work queue: waiting callers get items in the order in which they called", async () => {
  const queue = new WorkQueue<string>();
  const waiting = [queue.get(), queue.get()];
  queue.add("a");
  queue.add("b");
  expect([await Promise.all(waiting), queue.length]).toEqual([["a", "b"], 0]);
});

test("work queue: after shutdown new items are rejected, and waiting items are still handed out", async () => {
  const queue = new WorkQueue<string>();
  queue.add("a");
  queue.shutDown();
  queue.add("b");
  expect([queue.shuttingDown, await queue.get(), await queue.get()]).toEqual([
    true,
    "a",
    undefined,
  ]);
});

test("work queue: shutdown resolves waiting callers", async () => {
  const queue = new WorkQueue<string>();
  const waiting = [queue.get(), queue.get()];
  queue.shutDown();
  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
});

test("work queue: drain waits for items that were handed out", async () => {
  const queue = new WorkQueue<string>();
  queue.add("a");
  await queue.get();
  const events: string[] = [];
  const drained = queue.shutDownWithDrain().then(() => events.push("drained"));
  const both = queue.shutDownWithDrain();
  await Promise.resolve();
  events.push("done");
  queue.done("a");
  await Promise.all([drained, both]);
  expect(events).toEqual(["done", "drained"]);
});

test("work queue: a plain shutdown ends a drain", async () => {
  const queue = new WorkQueue<string>();
  queue.add("a");
  await queue.get();
  const drained = queue.shutDownWithDrain();
  queue.shutDown();
  await drained;
  expect(queue.idle).toBe(false);
});

test("work queue: keeps its order over many rounds", async () => {
  const queue = new WorkQueue<number>();
  const taken: unknown[] = [];
  for (let i = 0; i < 100; i++) {
    queue.add(2 * i);
    queue.add(2 * i + 1);
    taken.push(await queue.get());
  }
  while (queue.length > 0) taken.push(await queue.get());
  expect(taken).toEqual(Array.from({ length: 200 }, (_, i) => i));
});
