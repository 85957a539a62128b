import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { PodStage } from "./pod-worker.ts";
import { WorkerTimes } from "./worker-times.ts";

function record() {
  const clock = new VirtualClock();
  const calls: unknown[] = [];
  const times = new WorkerTimes(
    {
      began: (count, seconds) => calls.push(["began", count, seconds]),
      stepped: (operation, seconds) => calls.push([operation, seconds]),
      started: (seconds, start) => calls.push(["started", seconds, start]),
      restarted: () => {},
      terminated: (termination) => calls.push(termination),
      rejected: () => {},
      startedWithUsers: () => {},
      failedWithUsers: () => {},
      preempted: () => {},
      ensuredImage: () => {},
    },
    clock,
  );
  return { clock, calls, times };
}

const pod = (clock: VirtualClock, startTime?: string) =>
  ({
    metadata: { creationTimestamp: new Date(clock.now() - 5000).toISOString() },
    spec: { containers: [{}, {}] },
    status: { startTime },
  }) as unknown as Pod;
const pending = { phase: "Pending" } as PodStatus;
const running = { phase: "Running" } as PodStatus;

test("WorkerTimes: names the steps of a pod, and measures its start once", async () => {
  const { clock, calls, times } = record();
  const given = pod(clock);
  times.begin(given);
  const step = (stage: PodStage, ms: number) =>
    times.step(stage, {} as never, () => clock.advance(ms));
  await step("sync", 1000);
  times.said(given, pending, given.status);
  await step("sync", 0);
  times.said(given, running, pending);
  times.said(given, running, running);
  times.changed();
  await step("sync", 500);
  await step("terminating", 3000);
  await step("terminated", 0);
  await step("finished", 0);
  expect(calls).toEqual([
    ["began", 2, 0],
    ["create", 1],
    ["sync", 0],
    ["started", 1, { sinceCreation: 6, preparing: 0, isStateful: false }],
    ["update", 0.5],
    ["kill", 3],
    ["terminated", 0],
  ]);
});

test("WorkerTimes: counts containers that end", () => {
  const { clock, calls, times } = record();
  const terminated = { exitCode: 1, reason: "Error" };
  const containerStatuses = [{ name: "a", state: { terminated } }];
  times.said(pod(clock), { phase: "Failed", containerStatuses } as unknown as PodStatus, running);
  expect(calls).toEqual([{ type: "container", ...terminated }]);
});

test("WorkerTimes: a pod that ran before is not starting", () => {
  const { clock, calls, times } = record();
  const given = pod(clock, "2030-01-01T00:00:00Z");
  times.begin(given);
  times.said(given, running, running);
  expect(calls).toEqual([["began", 2, 0]]);
});

test("WorkerTimes: images and init containers do not count for a start without volumes of others", async () => {
  const { clock, calls, times } = record();
  const { metadata, spec, status } = pod(clock);
  const given = {
    metadata,
    spec: { ...spec, volumes: [{ emptyDir: {} }] },
    status,
  } as unknown as Pod;
  await clock.advance(500);
  times.begin(given);
  await clock.advance(4000);
  times.pulled(2000);
  times.pulled(500);
  const terminated = { startedAt: "2030-01-01T00:00:00Z", finishedAt: "2030-01-01T00:00:01Z" };
  times.said(
    given,
    { ...running, initContainerStatuses: [{ name: "i", state: { terminated } }] } as never,
    pending,
  );
  expect(calls.filter(Array.isArray)).toEqual([
    ["began", 2, 0.5],
    ["started", 4, { sinceCreation: 9.5, preparing: 3.5, isStateful: false }],
  ]);
  const claimed = record();
  const stateful = {
    ...given,
    spec: { ...spec, volumes: [{ persistentVolumeClaim: { claimName: "c" } }] },
  } as unknown as Pod;
  claimed.times.begin(stateful);
  claimed.times.said(stateful, running, pending);
  expect(claimed.calls[1]).toMatchObject(["started", 0, { isStateful: true }]);
});
