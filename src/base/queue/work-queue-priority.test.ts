import { expect, test } from "vitest";
import { SeededRandom } from "../random.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { itemBackoff } from "./rate-limiter.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";
import { WorkQueue } from "./work-queue.ts";

async function drained(queue: WorkQueue<string>): Promise<string[]> {
  const items: string[] = [];
  queue.shutDown();
  for (let item = await queue.get(); item !== undefined; item = await queue.get()) items.push(item);
  return items;
}

test("priority queue: higher first, and in order among equals", async () => {
  const queue = new WorkQueue<string>();
  queue.add("low-1", -100);
  queue.add("low-2", -100);
  queue.add("a");
  queue.add("b", 0);
  queue.add("high", 7);
  expect(await drained(queue)).toEqual(["high", "a", "b", "low-1", "low-2"]);
});

test("priority queue: a waiting item gets the highest priority it was added with, behind items that had it", async () => {
  const queue = new WorkQueue<string>();
  queue.add("raised", -100);
  queue.add("low", -100);
  queue.add("a");
  queue.add("raised", 0);
  queue.add("a", -100);
  expect(await drained(queue)).toEqual(["a", "raised", "low"]);
});

test("priority queue: an item is never processed twice at once, and its next priority applies", async () => {
  const queue = new WorkQueue<string>();
  queue.add("a", 5);
  expect([await queue.get(), queue.priorityOf("a")]).toEqual(["a", 5]);
  queue.add("a", -100);
  queue.add("a", -7);
  queue.add("b", -50);
  expect(queue.length).toBe(1);
  queue.done("a");
  expect([await queue.get(), queue.priorityOf("a")]).toEqual(["a", -7]);
  queue.done("a");
  expect([await queue.get(), queue.idle]).toEqual(["b", false]);
  queue.done("b");
  expect(queue.idle).toBe(true);
});

test("priority queue: a waiting caller gets an item at once, whatever its priority", async () => {
  const queue = new WorkQueue<string>();
  const waiting = queue.get();
  queue.add("low", -100);
  queue.add("high");
  expect([await waiting, await queue.get()]).toEqual(["low", "high"]);
});

test("priority queue: draining waits for items being processed", async () => {
  const queue = new WorkQueue<string>();
  queue.add("a");
  await queue.get();
  let drainedNow = false;
  const drain = queue.shutDownWithDrain().then(() => {
    drainedNow = true;
  });
  queue.add("b");
  expect([await queue.get(), drainedNow]).toEqual([undefined, false]);
  queue.done("a");
  await drain;
});

test("priority queue: a delayed or rate limited item keeps the highest priority it was added with", async () => {
  const clock = new VirtualClock();
  const priorities = new WorkQueue<string>();
  const limiter = itemBackoff<string>({ base: 5, max: 1000 });
  const queue = new RateLimitingQueue(priorities, { clock, limiter });
  queue.addAfter("a", 100, -100);
  queue.addAfter("a", 200, 3);
  queue.addAfter("b", 100, 1);
  queue.addRateLimited("c", -5);
  await clock.advance(100);
  const taken = [await queue.get(), await queue.get(), await queue.get()];
  expect(taken.map((item) => [item, priorities.priorityOf(item ?? "")])).toEqual([
    ["a", 3],
    ["b", 1],
    ["c", -5],
  ]);
});

test("priority queue: random calls hand out each item as often as a simple model does, highest priority first", async () => {
  for (let seed = 0; seed < 200; seed++) await anyMix(seed);
});

async function anyMix(seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  const below = (bound: number): number => Math.floor(random.next() * bound);
  const queue = new WorkQueue<string>();
  /** The model: waiting items as [priority, when they got it]. */
  const model = new Map<string, [number, number]>();
  const working = new Set<string>();
  const ready = (): string[] =>
    [...model]
      .filter(([name]) => !working.has(name))
      .sort(([, a], [, b]) => b[0] - a[0] || a[1] - b[1])
      .map(([name]) => name);
  for (let step = 0; step < 60; step++) {
    const item = `i${below(6)}`;
    const choice = below(3);
    if (choice === 0) {
      const priority = below(4) - 2;
      if (priority > (model.get(item)?.[0] ?? -Infinity)) model.set(item, [priority, step]);
      queue.add(item, priority);
    } else if (choice === 1 && queue.length > 0) {
      const [best = ""] = ready();
      expect(await queue.get(), `seed ${seed}`).toBe(best);
      model.delete(best);
      working.add(best);
    } else if (working.delete(item)) {
      queue.done(item);
    }
    const isIdle = model.size === 0 && working.size === 0;
    expect([queue.length, queue.idle], `seed ${seed}`).toEqual([ready().length, isIdle]);
  }
}
