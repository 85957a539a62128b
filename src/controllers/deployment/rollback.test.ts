import { expect, test } from "vitest";
import { rollbackRevision } from "./deployment-annotations.ts";
import { deployment, replicaSet } from "./replica-set.test-support.ts";
import { planRollback } from "./rollback.ts";

const prefix = "deployment.kubernetes.io";
const asking = deployment(1, {
  annotations: {
    "deprecated.deployment.rollback.to": "1",
    [`${prefix}/revision`]: "2",
    cause: "edit",
    now: "only",
  },
});
const first = replicaSet("a", {
  image: "old",
  annotations: {
    [`${prefix}/revision`]: "1",
    [`${prefix}/desired-replicas`]: "1",
    cause: "create",
  },
});
const second = replicaSet("b", { image: "new", annotations: { [`${prefix}/revision`]: "2" } });

test.each<[string, bigint, string]>([
  ["to a revision", 1n, 'Normal DeploymentRollback Rolled back deployment "web" to revision 1'],
  ["to the last one", 0n, 'Normal DeploymentRollback Rolled back deployment "web" to revision 1'],
  [
    "no rollback to the current revision",
    2n,
    'Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as current deployment "web"',
  ],
  [
    "no rollback to a missing revision",
    7n,
    "Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to.",
  ],
])("planRollback: %s", (_, revision, told) => {
  const { deployment: result, event } = planRollback(asking, [first, second], revision);
  expect(`${event.type} ${event.reason} ${event.note}`).toBe(told);
  expect(rollbackRevision(result)).toBeUndefined();
  const isDone = event.type === "Normal";
  expect(result.spec.template.spec.containers[0]?.image).toBe(isDone ? "old" : "new");
  expect(result.spec.template.metadata.labels).toEqual({ app: "web" });
  expect(result.metadata.annotations).toEqual({
    [`${prefix}/revision`]: "2",
    ...(isDone ? { cause: "create" } : { cause: "edit", now: "only" }),
  });
});

test("planRollback: there is no previous revision if there is only one", () => {
  const { event } = planRollback(asking, [second], 0n);
  expect(event).toEqual({
    type: "Warning",
    reason: "DeploymentRollbackRevisionNotFound",
    note: "Unable to find last revision.",
  });
});

test.each<[string, string, bigint | undefined]>([
  ["a number", "12", 12n],
  ["0 means the previous revision", "0", 0n],
  ["nothing", "", undefined],
  ["any other text is ignored", "last", undefined],
])("rollbackRevision: %s", (_, text, expected) => {
  const annotations = { "deprecated.deployment.rollback.to": text };
  expect(rollbackRevision(deployment(1, { annotations }))).toBe(expected);
});
