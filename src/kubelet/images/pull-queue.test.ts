import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { sleep } from "../../base/clock.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { defaultKubeletConfiguration } from "../config/default-kubelet-configuration.ts";
import { testGates } from "../config/feature-gates.test-support.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { createPullQueue, type PullLimits, pullLimits } from "./pull-queue.ts";

each<[config: Partial<KubeletConfiguration>, limits: PullLimits]>([
  [{}, { mostAtOnce: 1, perSecond: 5, burst: 10 }],
  [{ serializeImagePulls: false }, { mostAtOnce: undefined, perSecond: 5, burst: 10 }],
  [
    { serializeImagePulls: false, maxParallelImagePulls: 3 },
    { mostAtOnce: 3, perSecond: 5, burst: 10 },
  ],
  [
    { registryPullQPS: 0, registryBurst: 2 },
    { mostAtOnce: 1, perSecond: 0, burst: 2 },
  ],
])("pullLimits: %j", (config, limits) => {
  expect(pullLimits({ ...defaultKubeletConfiguration(testGates), ...config })).toEqual(limits);
});

const never = new AbortController().signal;

/** Begins pulls that take a second each, and returns when each has ended, and how long it took. */
async function pulled(limits: Partial<PullLimits>, count: number) {
  const clock = new VirtualClock();
  const queue = createPullQueue(
    { mostAtOnce: undefined, perSecond: 0, burst: 0, ...limits },
    clock,
  );
  const start = clock.now();
  const pulls = Array.from({ length: count }, async (_, i) => {
    try {
      const { tookMs } = await queue.run(() => sleep(clock, 1000), never);
      return `${i} after ${clock.now() - start}, took ${tookMs}`;
    } catch (error) {
      return `${i} ${String(error)}`;
    }
  });
  await clock.advance(10_000);
  return Promise.all(pulls);
}

test("createPullQueue: pulls wait for each other, and their own time does not count that", async () => {
  expect(await pulled({ mostAtOnce: 1 }, 3)).toEqual([
    "0 after 1000, took 1000",
    "1 after 2000, took 1000",
    "2 after 3000, took 1000",
  ]);
  expect(await pulled({ mostAtOnce: 2 }, 3)).toEqual([
    "0 after 1000, took 1000",
    "1 after 1000, took 1000",
    "2 after 2000, took 1000",
  ]);
  expect(await pulled({}, 2)).toEqual(["0 after 1000, took 1000", "1 after 1000, took 1000"]);
});

test("createPullQueue: pulls beyond the rate are rejected", async () => {
  expect(await pulled({ perSecond: 1, burst: 2 }, 3)).toEqual([
    "0 after 1000, took 1000",
    "1 after 1000, took 1000",
    "2 Error: pull QPS exceeded",
  ]);
});

test("createPullQueue: an aborted pull leaves the queue, and a failed one passes its place on", async () => {
  const queue = createPullQueue({ mostAtOnce: 1, perSecond: 0, burst: 0 }, new VirtualClock());
  let fail = (_: Error): void => {};
  const first = queue.run(
    () =>
      new Promise((_, reject) => {
        fail = reject;
      }),
    never,
  );
  const leaving = new AbortController();
  const begun: string[] = [];
  const second = queue.run(async () => begun.push("second"), leaving.signal);
  const third = queue.run(async () => begun.push("third"), never);
  leaving.abort(new Error("the pod ends"));
  await expect(second).rejects.toThrow("the pod ends");
  fail(new Error("no such image"));
  await expect(first).rejects.toThrow("no such image");
  await third;
  expect(begun).toEqual(["third"]);
  await queue.run(async () => begun.push("fourth"), never);
  expect(begun).toEqual(["third", "fourth"]);
});
