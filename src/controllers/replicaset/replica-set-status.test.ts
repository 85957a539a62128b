import { expect, test } from "vitest";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { replicaSetStatus } from "./replica-set-status.ts";

const now = Date.parse("2026-01-01T00:01:00Z");

const replicaSet = (parts: object = {}, status: object = {}): ReplicaSet =>
  ({
    metadata: { name: "web", generation: 3 },
    spec: {
      replicas: 3,
      minReadySeconds: 30,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web", tier: "front" } }, spec: { containers: [] } },
      ...parts,
    },
    status: { replicas: 0, ...status },
  }) as never;

/** A pod that is ready since a time, if any is given. */
const pod = (labels: Record<string, string>, lastTransitionTime?: string): Pod => {
  const conditions = lastTransitionTime && [{ type: "Ready", status: "True", lastTransitionTime }];
  return { metadata: { labels }, status: { conditions: conditions || [] } } as never;
};

const all = { app: "web", tier: "front" };
const quiet = { active: [], terminating: 0, failure: undefined, now };
const why = { type: "ReplicaFailure", status: "True", lastTransitionTime: "2026-01-01T00:01:00Z" };

test("replicaSetStatus: pods are counted by their state", () => {
  const active = [
    pod(all, "2026-01-01T00:00:30Z"),
    pod({ app: "web" }, "2026-01-01T00:00:31Z"),
    pod(all),
  ];
  expect(replicaSetStatus(replicaSet(), { ...quiet, active, terminating: 2 })).toEqual({
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 2,
    observedGeneration: 3,
  });
});

test.each([
  [2, "FailedCreate"],
  [3, "FailedDelete"],
])("replicaSetStatus: a failure with %i of 3 pods is %s", (count, reason) => {
  const active = Array.from({ length: count }, () => pod(all));
  expect(replicaSetStatus(replicaSet(), { ...quiet, active, failure: "no" }).conditions).toEqual([
    { ...why, reason, message: "no" },
  ]);
});

test("replicaSetStatus: the condition of a failure keeps its first message", () => {
  const first = { ...why, lastTransitionTime: "2025-01-01T00:00:00Z", message: "no" };
  const other = { type: "Other", status: "True" };
  const failed = replicaSet({}, { conditions: [first, other] });
  expect(replicaSetStatus(failed, { ...quiet, failure: "still no" }).conditions).toEqual([
    first,
    other,
  ]);
  expect(replicaSetStatus(failed, quiet).conditions).toEqual([other]);
});
