import { expect, test } from "vitest";
import { MetricsRegistry } from "../base/metrics-registry.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { controllerQueue } from "./controller-queue.ts";
import { type WorkOutcome, workOff } from "./work-off.ts";

function worked(outcomes: Record<string, readonly WorkOutcome[]>) {
  const clock = new VirtualClock(0);
  const ticks = () => clock.now();
  const queue = controllerQueue({ clock, ticks, metrics: new MetricsRegistry() }, "things");
  const left = new Map(Object.entries(outcomes).map(([item, all]) => [item, [...all]]));
  const log: string[] = [];
  const ended = workOff(queue, {
    workers: 1,
    async work(item) {
      log.push(`${clock.now()} ${item}`);
      const outcome = left.get(item)?.shift();
      if (outcome === undefined) throw new Error("no");
      return outcome;
    },
    onFault: (item, error) => log.push(`${item}: ${error}`),
  });
  return { clock, queue, log, ended };
}

test("workOff: what is done is done, what is not comes back after its backoff", async () => {
  const { clock, queue, log, ended } = worked({
    a: ["done", "done"],
    b: ["again", "again", "done"],
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

test("workOff: an item may come back at a time of its own, which is no failure", async () => {
  const { clock, queue, log, ended } = worked({ a: [{ afterMs: 500 }, "again", "done"] });
  queue.add("a");
  await clock.advance(1000);
  expect(log).toEqual(["0 a", "500 a", "505 a"]);
  queue.shutDown();
  await ended;
});

test("workOff: what is left when all ends is left", async () => {
  const { queue, log, ended } = worked({ a: ["done"] });
  queue.add("a");
  queue.shutDown();
  await ended;
  expect(log).toEqual([]);
});
