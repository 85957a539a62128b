import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { DeploymentStatus } from "../../api/apps/v1/deployment-spec.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { conditionNow, withDeploymentCondition } from "./deployment-conditions.ts";
import { allOf, type DeploymentReplicaSets, sum, totalSize } from "./replica-set-lists.ts";
import { maxUnavailable } from "./surge.ts";

/** The status of a deployment, without the progress of its rollout. */
export function deploymentStatus(
  deployment: Deployment,
  replicaSets: DeploymentReplicaSets,
  now: number,
): DeploymentStatus {
  const { metadata, spec, status } = deployment;
  const all = allOf(replicaSets);
  const available = sum(all, (one) => one.status.availableReplicas);
  const { collisionCount, conditions = [] } = status;
  const isAvailable = available >= spec.replicas - maxUnavailable(spec);
  const availability = conditionNow(isAvailable ? hasMinimum : lacksMinimum, now);
  const terminatingReplicas = terminating(all);
  return {
    ...withoutZeros({
      observedGeneration: metadata.generation ?? 0,
      replicas: sum(all, (one) => one.status.replicas),
      updatedReplicas: replicaSets.current?.status.replicas ?? 0,
      readyReplicas: sum(all, (one) => one.status.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, totalSize(all) - available),
    }),
    ...(terminatingReplicas !== undefined && { terminatingReplicas }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: withDeploymentCondition(conditions, availability),
  };
}

const hasMinimum = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
} as const;
const lacksMinimum = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
} as const;

/** How many pods are terminating; undefined if a replica set with a status does not say so. */
function terminating(all: readonly ReplicaSet[]): number | undefined {
  const isSilent = all.some(
    ({ status }) =>
      (status.observedGeneration ?? 0) !== 0 && status.terminatingReplicas === undefined,
  );
  return isSilent ? undefined : sum(all, ({ status }) => status.terminatingReplicas);
}

/** Zero is absent in the API. */
const withoutZeros = <T extends Readonly<Record<string, number>>>(counts: T): Partial<T> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>;
