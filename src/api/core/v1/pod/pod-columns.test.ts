import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { podOf } from "./pod.test-support.ts";
import { podColumns, podRowConditions, podSummary } from "./pod-columns.ts";

const container = (name: string, state: object, more: object = {}) => ({
  name,
  image: "i",
  imageID: "",
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const running = { running: {} };
const done = { terminated: { exitCode: 0, reason: "Completed" } };
const two = {
  containers: [
    { name: "a", image: "i" },
    { name: "b", image: "i" },
  ],
};
const inits = {
  initContainers: [
    { name: "i", image: "i" },
    { name: "s", image: "i", restartPolicy: "Always" },
  ],
};
const ready = { conditions: [{ type: "Ready", status: "True" }] };

each<[string, object, object, [string, string]]>([
  ["the phase, where nothing is known", {}, { phase: "Pending" }, ["0/1", "Pending"]],
  [
    "the reason of the pod before its phase",
    {},
    { phase: "Failed", reason: "Evicted" },
    ["0/1", "Evicted"],
  ],
  [
    "what holds the scheduler back",
    {},
    {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
    },
    ["0/1", "SchedulingGated"],
  ],
  [
    "running and ready",
    {},
    { phase: "Running", containerStatuses: [container("c", running, { ready: true })] },
    ["1/1", "Running"],
  ],
  [
    "why a container waits",
    {},
    {
      phase: "Running",
      containerStatuses: [container("c", { waiting: { reason: "CrashLoopBackOff" } })],
    },
    ["0/1", "CrashLoopBackOff"],
  ],
  [
    "how one ended",
    {},
    { phase: "Failed", containerStatuses: [container("c", { terminated: { exitCode: 3 } })] },
    ["0/1", "ExitCode:3"],
  ],
  [
    "by which signal",
    {},
    {
      phase: "Failed",
      containerStatuses: [container("c", { terminated: { exitCode: 137, signal: 9 } })],
    },
    ["0/1", "Signal:9"],
  ],
  [
    "Running though one is complete",
    two,
    {
      phase: "Running",
      ...ready,
      containerStatuses: [container("a", done), container("b", running, { ready: true })],
    },
    ["1/2", "Running"],
  ],
  [
    "NotReady where the pod is not",
    two,
    {
      phase: "Running",
      containerStatuses: [container("a", done), container("b", running, { ready: true })],
    },
    ["1/2", "NotReady"],
  ],
  [
    "the failure of one though another is complete",
    two,
    {
      phase: "Running",
      containerStatuses: [
        container("a", done),
        container("b", { terminated: { exitCode: 1, reason: "Error" } }),
      ],
    },
    ["0/2", "Error"],
  ],
  [
    "which init container is at work",
    inits,
    { initContainerStatuses: [container("i", running)] },
    ["0/2", "Init:0/2"],
  ],
  [
    "why an init container waits",
    inits,
    { initContainerStatuses: [container("i", { waiting: { reason: "ErrImagePull" } })] },
    ["0/2", "Init:ErrImagePull"],
  ],
  [
    "how an init container failed",
    inits,
    { initContainerStatuses: [container("i", { terminated: { exitCode: 2 } })] },
    ["0/2", "Init:ExitCode:2"],
  ],
  [
    "sidecars among the ready",
    inits,
    {
      phase: "Running",
      initContainerStatuses: [
        container("i", done),
        container("s", running, { started: true, ready: true }),
      ],
      containerStatuses: [container("c", running, { ready: true })],
    },
    ["2/2", "Running"],
  ],
])("podSummary: shows %s", (_, spec, status, [readiness, reason]) => {
  const summary = podSummary(podOf({ spec, status }));
  expect([`${summary.ready}/${summary.total}`, summary.reason]).toEqual([readiness, reason]);
});

test.each([
  ["Running", undefined, "Terminating"],
  ["Succeeded", undefined, "Succeeded"],
  ["Running", "NodeLost", "Unknown"],
])("podSummary: a pod that is %s (%s) and to be deleted is %s", (phase, reason, expected) => {
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  expect(podSummary(podOf({ metadata, status: { phase, reason } })).reason).toBe(expected);
});

test("podSummary: restarts of init containers count until the pod is initialised", () => {
  const lastState = (finishedAt: string) => ({
    lastState: { terminated: { exitCode: 1, finishedAt } },
  });
  const initContainerStatuses = [
    container("i", running, { restartCount: 3, ...lastState("2026-01-01T00:00:03Z") }),
    container("s", running, {
      restartCount: 1,
      started: true,
      ...lastState("2026-01-01T00:00:01Z"),
    }),
  ];
  const containerStatuses = [
    container("c", running, { restartCount: 2, ...lastState("2026-01-01T00:00:02Z") }),
  ];
  const restarts = (status: object) => {
    const { restarts: count, lastRestart } = podSummary(podOf({ spec: inits, status }));
    return [count, lastRestart];
  };
  expect(restarts({ initContainerStatuses })).toEqual([3, "2026-01-01T00:00:03Z"]);
  expect(
    restarts({
      initContainerStatuses: [container("i", done, { restartCount: 3 }), initContainerStatuses[1]],
      containerStatuses,
    }),
  ).toEqual([3, "2026-01-01T00:00:02Z"]);
});

test("podColumns: cells of a pod", () => {
  const pod = podOf({
    metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { nodeName: "n", readinessGates: [{ conditionType: "a" }, { conditionType: "b" }] },
    status: {
      phase: "Running",
      podIP: "192.0.2.1",
      conditions: [{ type: "a", status: "True" }],
      containerStatuses: [
        container("c", running, {
          restartCount: 2,
          lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T00:00:30Z" } },
        }),
      ],
    },
  });
  const now = Date.parse("2026-01-01T00:01:00Z");
  expect(podColumns.map((column) => column.cell(pod, { now }))).toEqual([
    "p",
    "0/1",
    "Running",
    "2 (30s ago)",
    "60s",
    "192.0.2.1",
    "n",
    "<none>",
    "1/2",
  ]);
});

test("podRowConditions: pods that ended are marked", () => {
  const reasons = ["Succeeded", "Failed", "Running"].map((phase) =>
    podRowConditions(podOf({ status: { phase } })),
  );
  expect(reasons).toEqual([
    [
      {
        type: "Completed",
        status: "True",
        reason: "Succeeded",
        message: "The pod has completed successfully.",
      },
    ],
    [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }],
    [],
  ]);
});
