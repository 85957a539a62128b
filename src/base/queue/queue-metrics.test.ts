import { expect, test } from "vitest";
import { MetricsRegistry } from "../metrics-registry.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { queueMetrics } from "./queue-metrics.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";
import { WorkQueue } from "./work-queue.ts";

function measured() {
  const clock = new VirtualClock(0);
  const metrics = new MetricsRegistry();
  const observer = queueMetrics<string>("things", { metrics, ticks: () => clock.now() });
  const limiter = { when: () => 500, forget: () => {}, requeues: () => 0 };
  const queue = new RateLimitingQueue(new WorkQueue<string>(observer), {
    clock,
    limiter,
    observer,
  });
  /** The values of all metrics but the buckets of histograms. */
  const read = (): Record<string, number> =>
    Object.fromEntries(
      [...metrics.text().matchAll(/^workqueue_(\w+)\{name="things"\} (\S+)$/gm)].map(
        ([, name = "", value]) => [name, Number(value)],
      ),
    );
  return { clock, metrics, queue, read };
}

const idle = {
  adds_total: 0,
  depth: 0,
  longest_running_processor_seconds: 0,
  queue_duration_seconds_count: 0,
  queue_duration_seconds_sum: 0,
  retries_total: 0,
  unfinished_work_seconds: 0,
  work_duration_seconds_count: 0,
  work_duration_seconds_sum: 0,
};

test("queue metrics: an unused queue has metrics", () => {
  expect(measured().read()).toEqual(idle);
});

test("queue metrics: measures how long items wait and are processed", async () => {
  const { clock, queue, read } = measured();
  queue.add("a");
  queue.add("b");
  queue.add("a");
  await clock.advance(2000);
  expect(read()).toEqual({ ...idle, adds_total: 2, depth: 2 });
  await queue.get();
  await clock.advance(3000);
  await queue.get();
  await clock.advance(1000);
  expect(read()).toEqual({
    ...idle,
    adds_total: 2,
    queue_duration_seconds_count: 2,
    queue_duration_seconds_sum: 7,
    // These grow while nothing happens.
    unfinished_work_seconds: 5,
    longest_running_processor_seconds: 4,
  });
  queue.done("a");
  queue.done("b");
  expect(read()).toMatchObject({
    unfinished_work_seconds: 0,
    longest_running_processor_seconds: 0,
    work_duration_seconds_count: 2,
    work_duration_seconds_sum: 5,
  });
});

test("queue metrics: an item added while it is processed waits until it is handed out again", async () => {
  const { clock, queue, read } = measured();
  const asked = queue.get();
  // The item is handed out at once, before the promise of `get` resolves.
  queue.add("a");
  queue.add("a");
  queue.add("a");
  await asked;
  expect(read()).toMatchObject({ adds_total: 2, depth: 1, queue_duration_seconds_count: 1 });
  await clock.advance(4000);
  queue.done("a");
  await queue.get();
  expect(read()).toMatchObject({ depth: 0, queue_duration_seconds_sum: 4 });
  queue.done("a");
  expect(read()).toMatchObject({ work_duration_seconds_count: 2, work_duration_seconds_sum: 4 });
});

test("queue metrics: done for an item that is not processed is ignored", () => {
  const { queue, read } = measured();
  queue.done("a");
  expect(read()).toEqual(idle);
});

test("queue metrics: a retry counts when it is requested, and as added when its delay has passed", async () => {
  const { clock, queue, read } = measured();
  queue.addRateLimited("a");
  queue.addAfter("b", 0);
  expect(read()).toMatchObject({ retries_total: 2, adds_total: 1 });
  await clock.advance(500);
  expect(read()).toMatchObject({ retries_total: 2, adds_total: 2, depth: 2 });
  queue.shutDown();
  queue.addAfter("c", 0);
  expect(read()).toMatchObject({ retries_total: 2, adds_total: 2 });
});

test("queue metrics: durations are counted from ten nanoseconds to ten seconds", () => {
  const { metrics } = measured();
  const text = metrics.text();
  const bounds = [...text.matchAll(/^workqueue_work_duration_seconds_bucket.*le="(.*?)"/gm)];
  expect(bounds.map(([, bound]) => bound)).toEqual([
    "1e-08",
    "1e-07",
    "1e-06",
    "9.999999999999999e-06",
    "9.999999999999999e-05",
    "0.001",
    "0.01",
    "0.1",
    "1",
    "10",
    "+Inf",
  ]);
});
