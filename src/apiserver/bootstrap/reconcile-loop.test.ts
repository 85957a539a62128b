import { expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { queueMetrics } from "../../base/queue/queue-metrics.ts";
import { configMapKind, openParts, write } from "../verbs/verb-parts.test-support.ts";
import { ReconcileLoop, type Reconciler } from "./reconcile-loop.ts";

/** A loop on config maps that counts the runs of its reconciler. */
async function openLoop(reconciler: Partial<Reconciler> = {}) {
  const metrics = new MetricsRegistry();
  const opened = await openParts();
  const ticks = () => opened.clock.now();
  const queues = (name: string) => queueMetrics<string>(name, { metrics, ticks });
  const parts = { ...opened, environment: { ...opened.environment, queues } };
  /** The value of a metric of its queue. */
  const read = (name: string) =>
    Number(
      new RegExp(`^workqueue_${name}\\{name="counts"\\} (.*)$`, "m").exec(metrics.text())?.[1],
    );
  let runs = 0;
  const loop = new ReconcileLoop(parts, noLog, {
    task: "count",
    queue: "counts",
    kinds: [configMapKind],
    ...reconciler,
    async reconcile(requeueAfter) {
      runs++;
      await reconciler.reconcile?.(requeueAfter);
    },
  });
  return {
    parts,
    loop,
    read,
    runs: () => runs,
    settle: () => parts.clock.advance(0),
  };
}

test("ReconcileLoop: runs at the start, and again after a change", async () => {
  const { parts, loop, runs, settle } = await openLoop();
  await loop.start();
  expect(runs()).toEqual(1);
  await write(parts, configMapKind, "a");
  await settle();
  expect(runs()).toEqual(2);
});

test("ReconcileLoop: runs once for all changes during a run", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { parts, loop, runs } = await openLoop({ reconcile: () => gate });
  const started = loop.start();
  for (const name of ["a", "b", "c"]) await write(parts, configMapKind, name);
  release();
  await started;
  expect(runs()).toEqual(2);
});

test("ReconcileLoop: does not run for a change that is not relevant", async () => {
  const { parts, loop, runs, settle } = await openLoop({
    isRelevant: ({ object }) => object.object.metadata.name === "mine",
  });
  await loop.start();
  await write(parts, configMapKind, "yours");
  await settle();
  expect(runs()).toEqual(1);
  await write(parts, configMapKind, "mine");
  await settle();
  expect(runs()).toEqual(2);
});

test("ReconcileLoop: retries a failed run with increasing delays until it succeeds", async () => {
  let failures = 3;
  const { parts, loop, runs } = await openLoop({
    async reconcile() {
      if (failures-- > 0) throw new Error("not yet");
    },
  });
  await loop.start();
  const seen = [runs()];
  for (const ms of [999, 1, 2000, 4000, 600_000]) {
    await parts.clock.advance(ms);
    seen.push(runs());
  }
  expect(seen).toEqual([1, 1, 2, 3, 4, 4]);
});

test("ReconcileLoop: does not run after it was closed, and leaves no timer", async () => {
  const { parts, loop, runs, settle } = await openLoop({
    async reconcile() {
      throw new Error("never");
    },
  });
  await loop.start();
  loop.close();
  await write(parts, configMapKind, "a");
  await settle();
  expect([runs(), parts.clock.pending]).toEqual([1, 0]);
});

test("ReconcileLoop: runs after the time that its reconciler has requested", async () => {
  const asked = [5000];
  const { parts, loop, runs } = await openLoop({
    async reconcile(requeueAfter) {
      for (const ms of asked.splice(0)) requeueAfter(ms);
    },
  });
  await loop.start();
  await parts.clock.advance(4999);
  expect(runs()).toEqual(1);
  await parts.clock.advance(60_000);
  expect(runs()).toEqual(2);
});

test("ReconcileLoop: is measured as a queue with one item", async () => {
  let failures = 1;
  const { parts, loop, read } = await openLoop({
    async reconcile() {
      if (failures-- > 0) throw new Error("not now");
    },
  });
  const started = loop.start();
  expect([read("adds_total"), read("depth")]).toEqual([1, 1]);
  void loop.trigger();
  expect(read("adds_total")).toEqual(1);
  await started;
  expect([read("retries_total"), read("work_duration_seconds_count")]).toEqual([1, 1]);
  await parts.clock.advance(1000);
  expect([read("adds_total"), read("depth"), read("work_duration_seconds_count")]).toEqual([
    2, 0, 2,
  ]);
});
