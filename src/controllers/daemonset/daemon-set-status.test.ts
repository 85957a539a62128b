import { expect, test } from "vitest";
import { daemonSetStatus } from "./daemon-set-status.ts";
import { daemonSetWith, now, podWith } from "./daemon-sets.test-support.ts";

test("daemonSetStatus: nodes are counted by their oldest pod", () => {
  const nodes = [
    { shouldRun: true, pods: [podWith("a", { ready: 10 })] },
    { shouldRun: true, pods: [podWith("b", { ready: 9, hash: "old" })] },
    { shouldRun: true, pods: [podWith("c", { age: 1, ready: 10 }), podWith("d", { age: 9 })] },
    { shouldRun: true, pods: [] },
    { shouldRun: false, pods: [podWith("e", { ready: 10 })] },
    { shouldRun: false, pods: [] },
  ];
  expect(daemonSetStatus(daemonSetWith(), { nodes, hash: "new", now })).toEqual({
    desiredNumberScheduled: 4,
    currentNumberScheduled: 3,
    numberMisscheduled: 1,
    numberReady: 2,
    numberAvailable: 1,
    numberUnavailable: 3,
    updatedNumberScheduled: 2,
    observedGeneration: 2,
  });
});

test("daemonSetStatus: zeros are left out where they may be", () => {
  expect(daemonSetStatus(daemonSetWith(), { nodes: [], hash: "new", now })).toEqual({
    desiredNumberScheduled: 0,
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    observedGeneration: 2,
  });
});
