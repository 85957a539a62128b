import { expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { queueMetrics } from "../../base/queue/queue-metrics.ts";
import { configMapKind, openParts, write } from "../verbs/verb-parts.test-support.ts";
import { Follower, type Keeper } from "./follower.ts";

/** A follower of config maps that counts how often its keeper looks. */
async function following(keeper: Partial<Keeper> = {}) {
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
  let looks = 0;
  const follower = new Follower(parts, noLog, {
    task: "count",
    queue: "counts",
    kinds: [configMapKind],
    ...keeper,
    async sync(wakeAfter) {
      looks++;
      await keeper.sync?.(wakeAfter);
    },
  });
  return {
    parts,
    follower,
    read,
    looks: () => looks,
    settle: () => parts.clock.advance(0),
  };
}

test("a follower: looks at the start, and again after a change", async () => {
  const { parts, follower, looks, settle } = await following();
  await follower.start();
  expect(looks()).toEqual(1);
  await write(parts, configMapKind, "a");
  await settle();
  expect(looks()).toEqual(2);
});

test("a follower: looks once for all that changes while it works", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { parts, follower, looks } = await following({ sync: () => gate });
  const started = follower.start();
  for (const name of ["a", "b", "c"]) await write(parts, configMapKind, name);
  release();
  await started;
  expect(looks()).toEqual(2);
});

test("a follower: a change that does not concern it wakes nobody", async () => {
  const { parts, follower, looks, settle } = await following({
    concerns: ({ object }) => object.object.metadata.name === "mine",
  });
  await follower.start();
  await write(parts, configMapKind, "yours");
  await settle();
  expect(looks()).toEqual(1);
  await write(parts, configMapKind, "mine");
  await settle();
  expect(looks()).toEqual(2);
});

test("a follower: tries again after a failure, each time later, until it succeeds", async () => {
  let failures = 3;
  const { parts, follower, looks } = await following({
    async sync() {
      if (failures-- > 0) throw new Error("not yet");
    },
  });
  await follower.start();
  const seen = [looks()];
  for (const ms of [999, 1, 2000, 4000, 600_000]) {
    await parts.clock.advance(ms);
    seen.push(looks());
  }
  expect(seen).toEqual([1, 1, 2, 3, 4, 4]);
});

test("a follower: after its end nothing wakes it, and no timer is left", async () => {
  const { parts, follower, looks, settle } = await following({
    async sync() {
      throw new Error("never");
    },
  });
  await follower.start();
  follower.close();
  await write(parts, configMapKind, "a");
  await settle();
  expect([looks(), parts.clock.pending]).toEqual([1, 0]);
});

test("a follower: wakes its keeper when that has asked for it", async () => {
  const asked = [5000];
  const { parts, follower, looks } = await following({
    async sync(wakeAfter) {
      for (const ms of asked.splice(0)) wakeAfter(ms);
    },
  });
  await follower.start();
  await parts.clock.advance(4999);
  expect(looks()).toEqual(1);
  await parts.clock.advance(60_000);
  expect(looks()).toEqual(2);
});

test("a follower: is counted as a queue whose only item is to look", async () => {
  let failures = 1;
  const { parts, follower, read } = await following({
    async sync() {
      if (failures-- > 0) throw new Error("not now");
    },
  });
  const started = follower.start();
  expect([read("adds_total"), read("depth")]).toEqual([1, 1]);
  void follower.wake();
  expect(read("adds_total")).toEqual(1);
  await started;
  expect([read("retries_total"), read("work_duration_seconds_count")]).toEqual([1, 1]);
  await parts.clock.advance(1000);
  expect([read("adds_total"), read("depth"), read("work_duration_seconds_count")]).toEqual([
    2, 0, 2,
  ]);
});
