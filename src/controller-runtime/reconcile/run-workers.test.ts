import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { controllerQueue } from "./controller-queue.ts";
import { runWorkers, type WorkOutcome } from "./run-workers.ts";

function worked(outcomes: Record<string, readonly WorkOutcome[]>) {
  const clock = new VirtualClock(0);
  const ticks = () => clock.now();
  const queue = controllerQueue({ clock, ticks, metrics: new MetricsRegistry() }, "things");
  const left = new Map(Object.entries(outcomes).map(([item, all]) => [item, [...all]]));
  const log: string[] = [];
  const ended = runWorkers(queue, {
    workers: 1,
    async work(item) {
      log.push(`${clock.now()} ${item}`);
      const outcome = left.get(item)?.shift();
      if (outcome === undefined) throw new Error("no");
      return outcome;
    },
    onError: (item, error) => log.push(`${item}: ${error}`),
  });
  return { clock, queue, log, ended };
}

test("runWorkers: an item that is to be retried comes back after its backoff", async () => {
  const { clock, queue, log, ended } = worked({
    a: ["done", "done"],
    b: ["retry", "retry", "done"],
  });
  queue.add("a");
  queue.add("b");
  await clock.advance(1000);
  expect(log).toEqual(["0 a", "0 b", "5 b", "15 b"]);
  queue.add("b");
  await clock.advance(10);
  expect(log.slice(4)).toEqual(["1000 b", "b: Error: no", "1005 b", "b: Error: no"]);
  queue.shutDown();
  await ended;
});

test("runWorkers: an item that comes back after a delay does not count as a failure", async () => {
  const { clock, queue, log, ended } = worked({ a: [{ afterMs: 500 }, "retry", "done"] });
  queue.add("a");
  await clock.advance(1000);
  expect(log).toEqual(["0 a", "500 a", "505 a"]);
  queue.shutDown();
  await ended;
});

test("runWorkers: items that are left at shutdown are not worked on", async () => {
  const { queue, log, ended } = worked({ a: ["done"] });
  queue.add("a");
  queue.shutDown();
  await ended;
  expect(log).toEqual([]);
});
