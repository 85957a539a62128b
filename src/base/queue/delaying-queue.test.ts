import { expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { DelayingQueue } from "./delaying-queue.ts";
import { WorkQueue } from "./work-queue.ts";

function setUp() {
  const clock = new VirtualClock();
  return { clock, queue: new DelayingQueue(new WorkQueue<string>(), clock) };
}

test("delaying queue: an item is enqueued when its delay has passed", async () => {
  const { clock, queue } = setUp();
  queue.addAfter("later", 10);
  queue.addAfter("now", 0);
  expect([queue.length, queue.delayed]).toEqual([1, 1]);
  await clock.advance(9);
  expect(queue.length).toBe(1);
  await clock.advance(1);
  expect([await queue.get(), await queue.get(), queue.delayed]).toEqual(["now", "later", 0]);
});

test.each([
  { first: 50, second: 10, arrives: 10 },
  { first: 10, second: 50, arrives: 10 },
])(
  "delaying queue: of $first and $second ms the earlier counts",
  async ({ first, second, arrives }) => {
    const { clock, queue } = setUp();
    queue.addAfter("a", first);
    queue.addAfter("a", second);
    await clock.advance(arrives - 1);
    const before = queue.length;
    await clock.advance(1);
    expect([before, queue.length, queue.delayed, clock.pending]).toEqual([0, 1, 0, 0]);
  },
);

test("delaying queue: shutdown leaves no timer, and nothing can be added", async () => {
  const { clock, queue } = setUp();
  queue.addAfter("a", 10);
  queue.shutDown();
  queue.addAfter("b", 10);
  await queue.shutDownWithDrain();
  expect([clock.pending, queue.delayed, await queue.get()]).toEqual([0, 0, undefined]);
});
