import { expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { itemBackoff } from "./rate-limiter.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";
import { WorkQueue } from "./work-queue.ts";

test("rate limiting queue: an item that keeps failing is requeued ever later, until it is forgotten", async () => {
  const clock = new VirtualClock();
  const limiter = itemBackoff<string>({ base: 5, max: 1000 });
  const queue = new RateLimitingQueue(new WorkQueue<string>(), { clock, limiter });
  const arrivals: number[] = [];
  const fail = async (): Promise<void> => {
    queue.addRateLimited("a");
    await clock.advance((clock.nextTimer() ?? 0) - clock.now());
    await queue.get();
    queue.done("a");
    arrivals.push(clock.now());
  };
  await fail();
  await fail();
  await fail();
  expect([arrivals, queue.requeues("a")]).toEqual([[5, 15, 35], 3]);
  queue.forget("a");
  await fail();
  expect(arrivals.at(-1)).toBe(40);
});
