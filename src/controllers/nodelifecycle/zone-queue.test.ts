import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { ZoneQueue } from "./zone-queue.ts";

/** A queue, and when which node was dealt with, in seconds. */
function queueWith(rate: number, work: (node: string) => boolean = () => true) {
  const clock = new VirtualClock();
  const taken: string[] = [];
  const queue = new ZoneQueue({
    clock,
    ticks: () => clock.now(),
    rate,
    work: async (node) => {
      taken.push(`${node} ${clock.now() / 1000}`);
      return work(node);
    },
  });
  return { clock, queue, taken };
}

test("ZoneQueue: the first node is processed at once, the others one per period", async () => {
  const { clock, queue, taken } = queueWith(0.1);
  for (const node of ["a", "b", "c"]) queue.add(node);
  await queue.run();
  await clock.advance(25_000);
  expect(taken).toEqual(["a 0", "b 10", "c 20"]);
  expect(queue.length).toBe(0);
  expect(clock.pending).toBe(0);
});

test("ZoneQueue: unused periods do not accumulate", async () => {
  const { clock, queue, taken } = queueWith(0.1);
  await clock.advance(100_000);
  for (const node of ["a", "b"]) queue.add(node);
  await queue.run();
  await clock.advance(10_000);
  expect(taken).toEqual(["a 100", "b 110"]);
});

test("ZoneQueue: a processed node is not queued again until it is removed", async () => {
  const { clock, queue, taken } = queueWith(1);
  queue.add("a");
  await queue.run();
  queue.add("a");
  await queue.run();
  await clock.advance(5_000);
  expect(taken).toEqual(["a 0"]);
  queue.remove("a");
  queue.add("a");
  await queue.run();
  expect(taken).toEqual(["a 0", "a 5"]);
});

test("ZoneQueue: a removed node is not processed", async () => {
  const { clock, queue, taken } = queueWith(0.1);
  for (const node of ["a", "b", "c"]) queue.add(node);
  await queue.run();
  queue.remove("b");
  await clock.advance(30_000);
  expect(taken).toEqual(["a 0", "c 10"]);
});

test("ZoneQueue: a failed node is retried after the others", async () => {
  let failures = 1;
  const { clock, queue, taken } = queueWith(1, (node) => node !== "a" || failures-- <= 0);
  for (const node of ["a", "b"]) queue.add(node);
  await queue.run();
  await clock.advance(5_000);
  expect(taken).toEqual(["a 0", "b 1", "a 2"]);
});

test("ZoneQueue: at rate 0 no node is processed, and afterwards not at once", async () => {
  const { clock, queue, taken } = queueWith(0.1);
  queue.setRate(0);
  for (const node of ["a", "b"]) queue.add(node);
  await queue.run();
  await clock.advance(100_000);
  expect(taken).toEqual([]);
  queue.setRate(0.1);
  await queue.run();
  await clock.advance(20_000);
  expect(taken).toEqual(["a 110", "b 120"]);
});

test("ZoneQueue: a scheduled node is scheduled again at the new rate", async () => {
  const { clock, queue, taken } = queueWith(0.1);
  for (const node of ["a", "b", "c"]) queue.add(node);
  await queue.run();
  await clock.advance(9_000);
  queue.setRate(0.01);
  await queue.run();
  await clock.advance(101_000);
  expect(taken).toEqual(["a 0", "b 109"]);
});

test("ZoneQueue: after a change of the rate of an empty queue, the next node is processed at once", async () => {
  const { clock, queue, taken } = queueWith(0.1);
  queue.setRate(0.01);
  queue.add("a");
  await queue.run();
  expect(taken).toEqual(["a 0"]);
  expect(clock.pending).toBe(0);
});

test("ZoneQueue: no node is processed after close", async () => {
  const { clock, queue, taken } = queueWith(0.1);
  for (const node of ["a", "b"]) queue.add(node);
  await queue.run();
  queue.close();
  await clock.advance(60_000);
  expect(taken).toEqual(["a 0"]);
  expect(clock.pending).toBe(0);
});
