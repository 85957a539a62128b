import { expect, test } from "vitest";
import type { DeploymentCondition, DeploymentStatus } from "../../api/apps/v1/deployment-spec.ts";
import { progressCheckMs, rolloutStatus } from "./progress.ts";
import {
  ago,
  type DeploymentTraits,
  deployment,
  now,
  type ReplicaSetTraits,
  replicaSet,
} from "./replica-set.test-support.ts";

const condition = (
  reason: string,
  status: DeploymentCondition["status"],
  age: number,
): DeploymentCondition => ({
  type: "Progressing",
  status,
  reason,
  message: "before",
  lastUpdateTime: ago(age),
  lastTransitionTime: ago(1000),
});

interface Row {
  readonly name: string;
  readonly replicas?: number;
  readonly spec?: DeploymentTraits["spec"];
  readonly before?: Partial<DeploymentStatus>;
  readonly progressing?: DeploymentCondition;
  readonly current?: ReplicaSetTraits;
  readonly old?: ReplicaSetTraits;
  /** Status, reason, message; seconds since it was updated and since the status changed. */
  readonly says: string | undefined;
  readonly age?: readonly [updated: number, changed: number];
}

function statusOf({ replicas = 3, spec, before, progressing, current, old }: Row) {
  const one = deployment(replicas, {
    ...(spec && { spec }),
    status: { ...before, ...(progressing && { conditions: [progressing] }) },
  });
  const status = rolloutStatus(
    one,
    {
      current: current && replicaSet("new", current),
      old: old ? [replicaSet("a", old)] : [],
    },
    now,
  );
  return { deployment: one, status };
}

test.each<Row>([
  {
    name: "all pods are there",
    progressing: condition("ReplicaSetUpdated", "True", 20),
    current: { size: 3 },
    says: 'True NewReplicaSetAvailable ReplicaSet "new" has successfully progressed.',
    age: [0, 1000],
  },
  {
    name: "a completed rollout is not reported again",
    progressing: condition("NewReplicaSetAvailable", "True", 20),
    current: { size: 3, available: 1 },
    says: "True NewReplicaSetAvailable before",
    age: [20, 1000],
  },
  {
    name: "an old pod means that the rollout is not complete",
    before: { replicas: 4, updatedReplicas: 3, readyReplicas: 4, availableReplicas: 4 },
    progressing: condition("NewReplicaSetAvailable", "True", 9000),
    current: { size: 3 },
    old: { size: 1 },
    says: "True NewReplicaSetAvailable before",
    age: [9000, 1000],
  },
  {
    name: "more pods are progress, each time anew",
    progressing: condition("ReplicaSetUpdated", "True", 20),
    current: { size: 2 },
    says: 'True ReplicaSetUpdated ReplicaSet "new" is progressing.',
    age: [0, 1000],
  },
  {
    name: "progress after all",
    progressing: condition("ProgressDeadlineExceeded", "False", 20),
    current: { size: 2 },
    says: 'True ReplicaSetUpdated ReplicaSet "new" is progressing.',
    age: [0, 0],
  },
  {
    name: "fewer old pods are progress, too",
    before: { replicas: 5, updatedReplicas: 1, readyReplicas: 5, availableReplicas: 5 },
    progressing: condition("ReplicaSetUpdated", "True", 20),
    old: { size: 3 },
    current: { size: 1, available: 0 },
    says: 'True ReplicaSetUpdated ReplicaSet "new" is progressing.',
    age: [0, 1000],
  },
  {
    name: "nothing has changed, and there is time",
    before: { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
    progressing: condition("ReplicaSetUpdated", "True", 600),
    current: { size: 2 },
    says: "True ReplicaSetUpdated before",
    age: [600, 1000],
  },
  {
    name: "nothing has changed for too long",
    before: { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
    progressing: condition("ReplicaSetUpdated", "True", 601),
    current: { size: 2 },
    says: 'False ProgressDeadlineExceeded ReplicaSet "new" has timed out progressing.',
    age: [0, 0],
  },
  {
    name: "without a replica set the deployment is named",
    before: { replicas: 2 },
    progressing: condition("DeploymentResumed", "Unknown", 601),
    old: { size: 2, available: 0 },
    says: 'False ProgressDeadlineExceeded Deployment "web" has timed out progressing.',
    age: [0, 0],
  },
  {
    name: "without a deadline there is no condition",
    spec: { progressDeadlineSeconds: 2 ** 31 - 1 },
    progressing: condition("ReplicaSetUpdated", "True", 20),
    current: { size: 2 },
    says: undefined,
  },
  {
    name: "without a Progressing condition there is no timeout",
    before: { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
    current: { size: 2 },
    says: undefined,
  },
])("rolloutStatus: $name", (row) => {
  const { conditions = [] } = statusOf(row).status;
  const found = conditions.find(({ type }) => type === "Progressing");
  expect(found && `${found.status} ${found.reason} ${found.message}`).toBe(row.says);
  const [updated = 0, changed = 0] = row.age ?? [];
  if (found)
    expect([found.lastUpdateTime, found.lastTransitionTime]).toEqual([ago(updated), ago(changed)]);
});

const failure = (message: string): ReplicaSetTraits => ({
  status: {
    conditions: [
      {
        type: "ReplicaFailure",
        status: "True",
        reason: "FailedCreate",
        message,
        lastTransitionTime: ago(5),
      },
    ],
  },
});

test.each<[string, ReplicaSetTraits, ReplicaSetTraits, string | undefined]>([
  ["that of the new pods counts", failure("new"), failure("old"), "new"],
  ["then that of old ones", {}, failure("old"), "old"],
  ["it goes when there is none", {}, {}, undefined],
])("rolloutStatus: of failures to make pods, %s", (_, current, old, message) => {
  const before = failure("before").status?.conditions?.[0] as DeploymentCondition;
  const gone = { ...before, reason: "FailedDelete" };
  const { status } = statusOf({ name: "", current, old, progressing: gone, says: undefined });
  const found = status.conditions?.find(({ type }) => type === "ReplicaFailure");
  expect(found?.message).toBe(message);
  if (message) expect(found).toMatchObject({ lastUpdateTime: ago(5), lastTransitionTime: ago(5) });
});

const stuck = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };

test.each<Omit<Row, "says"> & { readonly ms: number | undefined }>([
  {
    name: "a second after the deadline, because times are whole seconds",
    progressing: condition("ReplicaSetUpdated", "True", 180),
    ms: 421_000,
  },
  {
    name: "at once if the deadline is about to pass",
    progressing: condition("ReplicaSetUpdated", "True", 600),
    ms: 1,
  },
  {
    name: "not after the deadline was reported",
    progressing: condition("ProgressDeadlineExceeded", "False", 900),
    ms: undefined,
  },
  {
    name: "not after the rollout has completed",
    progressing: condition("NewReplicaSetAvailable", "True", 9000),
    ms: undefined,
  },
  { name: "not before the first status", ms: undefined },
  {
    name: "not without a deadline",
    spec: { progressDeadlineSeconds: 2 ** 31 - 1 },
    progressing: condition("ReplicaSetUpdated", "True", 180),
    ms: undefined,
  },
])("progressCheckMs: $name", (row) => {
  const { deployment, status } = statusOf({
    before: stuck,
    current: { size: 2 },
    ...row,
    says: undefined,
  });
  expect(progressCheckMs(deployment, status, now)).toBe(row.ms);
});
