import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type FailureRecord, nextRecord, remainingBackoff } from "./failure-backoff.ts";
import { finishedAt } from "./finished-at.ts";
import { podOf } from "./job.test-support.ts";

const at = (second: number) =>
  podOf(`p${second}`, { created: new Date(second * 1000).toISOString() });
const old = { failures: 3, lastFailure: 1000 };

each<[FailureRecord, number[], number[], FailureRecord]>([
  [old, [], [], old],
  [old, [], [7, 5], { failures: 5, lastFailure: 7000 }],
  [old, [9], [], { failures: 0 }],
  [old, [6], [5, 7, 8], { failures: 2, lastFailure: 8000 }],
  [old, [9], [5, 7], { failures: 0 }],
])(
  "nextRecord: %j, after successes at %j and failures at %j, is %j",
  (before, succeeded, failed, after) => {
    expect(nextRecord(before, { succeeded: succeeded.map(at), failed: failed.map(at) })).toEqual(
      after,
    );
  },
);

each<[failures: number, elapsedMs: number, remaining: number]>([
  [0, 0, 0],
  [1, 0, 10_000],
  [1, 10_001, 0],
  [2, 5000, 15_000],
  [6, 0, 320_000],
  [7, 0, 600_000],
  [2 ** 31, 0, 600_000],
])(
  "remainingBackoff: after %i failures, the last %i ms ago, %i ms are left",
  (failures, elapsed, remaining) => {
    expect(remainingBackoff({ failures, lastFailure: 1e9 }, 1e9 + elapsed)).toBe(remaining);
  },
);

const ended = (finishedAt: string | null) => ({ name: "c", state: { terminated: { finishedAt } } });
const minute = (n: number) => `2026-01-01T00:0${n}:00Z`;

each<[string, object, string]>([
  ["creation", {}, minute(0)],
  ["request of deletion", { isGoing: true }, minute(1)],
  [
    "end of readiness",
    { status: { conditions: [{ type: "Ready", status: "False", lastTransitionTime: minute(2) }] } },
    minute(2),
  ],
  [
    "end of the last container",
    { status: { containerStatuses: [ended(minute(3)), ended(minute(4))] } },
    minute(4),
  ],
  [
    "creation, while one container runs",
    { status: { containerStatuses: [ended(minute(3)), { name: "d", state: {} }] } },
    minute(0),
  ],
  [
    "end of a sidecar",
    {
      spec: { initContainers: [{ name: "s", restartPolicy: "Always" }] },
      status: {
        containerStatuses: [ended(minute(3))],
        initContainerStatuses: [
          { ...ended(minute(5)), name: "s" },
          { ...ended(minute(6)), name: "i" },
        ],
      },
    },
    minute(5),
  ],
])("finishedAt: %s", (_, input, time) => {
  expect(finishedAt(podOf("p", input))).toBe(Date.parse(time));
});
