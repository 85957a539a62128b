import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { DeploymentCondition, DeploymentStatus } from "../../api/apps/v1/deployment-spec.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { findCondition, withoutCondition } from "../../controller-runtime/objects/conditions.ts";
import {
  conditionNow,
  conditionOfReplicaSet,
  type DeploymentConditions,
  replaceCondition,
  withDeploymentCondition,
} from "./deployment-conditions.ts";
import { deploymentStatus } from "./deployment-status.ts";
import type { DeploymentReplicaSets } from "./replica-set-lists.ts";

/** The status of a deployment, with the progress of its rollout. */
export function rolloutStatus(
  deployment: Deployment,
  replicaSets: DeploymentReplicaSets,
  now: number,
): DeploymentStatus {
  const plain = deploymentStatus(deployment, replicaSets, now);
  const progressed = progressOf(deployment, { status: plain, replicaSets, now });
  const failure = replicaFailure(replicaSets);
  const conditions = failure
    ? withDeploymentCondition(progressed, conditionOfReplicaSet(failure))
    : withoutCondition(progressed, "ReplicaFailure");
  return { ...plain, conditions };
}

/** Whether all pods of a deployment have its template and are available, and no old pods are left. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status;
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === spec.replicas) &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

/** Whether a deployment has a progress deadline; the maximum value means none. */
export const hasDeadline = ({ spec }: Deployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;

/** The milliseconds until the progress deadline; undefined if there is none, or it has passed. */
export function progressCheckMs(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const { reason } = progressing(status) ?? {};
  const isOver = reason === undefined || reason === timedOut || reason === succeeded;
  if (!hasDeadline(deployment) || isOver || isComplete(deployment, status)) return undefined;
  const left = deadlineOf(deployment, status) - now;
  // Times in conditions are whole seconds.
  return left < 1000 ? Math.max(0, left) + 1 : left + 1000;
}

interface Facts {
  /** The next status of the deployment. */
  readonly status: DeploymentStatus;
  readonly replicaSets: DeploymentReplicaSets;
  readonly now: number;
}

/** The conditions with the progress of the rollout. */
function progressOf(deployment: Deployment, facts: Facts): DeploymentConditions {
  const { status, replicaSets, now } = facts;
  const { conditions = [] } = status;
  if (!hasDeadline(deployment)) return withoutCondition(conditions, "Progressing");
  const { current } = replicaSets;
  const isFinished =
    progressing(deployment.status)?.reason === succeeded &&
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0);
  if (isFinished) return conditions;
  const who = current
    ? `ReplicaSet "${current.metadata.name}"`
    : `Deployment "${deployment.metadata.name}"`;
  const condition = (reason: string, message: string): DeploymentCondition =>
    conditionNow(
      {
        type: "Progressing",
        status: reason === timedOut ? "False" : "True",
        reason,
        message: `${who} ${message}`,
      },
      now,
    );
  if (isComplete(deployment, status))
    return withDeploymentCondition(
      conditions,
      condition(succeeded, "has successfully progressed."),
    );
  // The time of the last progress is written even if nothing else changes.
  if (hasProgressed(deployment.status, status))
    return replaceCondition(conditions, condition("ReplicaSetUpdated", "is progressing."));
  if (isTimedOut(deployment, status, now))
    return withDeploymentCondition(conditions, condition(timedOut, "has timed out progressing."));
  return conditions;
}

const succeeded = "NewReplicaSetAvailable";
const timedOut = "ProgressDeadlineExceeded";

export const progressing = ({ conditions }: DeploymentStatus): DeploymentCondition | undefined =>
  findCondition(conditions, "Progressing");

/** Whether a rollout has exceeded its progress deadline. */
export const hasTimedOut = ({ status }: Deployment): boolean =>
  progressing(status)?.reason === timedOut;

/** Whether there are more new pods, fewer old ones, or more that are ready or available. */
function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const { updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = after;
  return (
    updatedReplicas > (before.updatedReplicas ?? 0) ||
    oldPods(after) < oldPods(before) ||
    readyReplicas > (before.readyReplicas ?? 0) ||
    availableReplicas > (before.availableReplicas ?? 0)
  );
}

const oldPods = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number =>
  replicas - updatedReplicas;

function isTimedOut(deployment: Deployment, status: DeploymentStatus, now: number): boolean {
  const { reason } = progressing(status) ?? {};
  if (reason === undefined || reason === succeeded) return false;
  return reason === timedOut || deadlineOf(deployment, status) < now;
}

/** The progress deadline in milliseconds since the epoch. */
const deadlineOf = ({ spec }: Deployment, status: DeploymentStatus): number =>
  (timeOf(progressing(status)?.lastUpdateTime ?? undefined) ?? 0) +
  spec.progressDeadlineSeconds * 1000;

/** The failure condition of a replica set: the new one's, if it has one. */
const replicaFailure = ({ current, old }: DeploymentReplicaSets) =>
  [...(current ? [current] : []), ...old]
    .flatMap(({ status }) => status.conditions ?? [])
    .find(({ type }) => type === "ReplicaFailure");
