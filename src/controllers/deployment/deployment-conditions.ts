import type { DeploymentCondition } from "../../api/apps/v1/deployment-spec.ts";
import type { ReplicaSetCondition } from "../../api/apps/v1/replica-set-spec.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";

export type DeploymentConditions = readonly DeploymentCondition[];

/** A condition with the current time. */
export function conditionNow(
  condition: Pick<DeploymentCondition, "type" | "status" | "reason" | "message">,
  now: number,
): DeploymentCondition {
  const time = formatTime(timeFromMillis(now));
  return { ...condition, lastUpdateTime: time, lastTransitionTime: time };
}

/**
 * The conditions with one of them set, as the last one; unchanged if its status and reason are the same.
 */
export function withDeploymentCondition(
  conditions: DeploymentConditions,
  condition: DeploymentCondition,
): DeploymentConditions {
  const old = conditions.find(({ type }) => type === condition.type);
  if (old?.status === condition.status && old.reason === condition.reason) return conditions;
  return replaceCondition(conditions, condition);
}

/** The same, even if only the update time changes. */
export function replaceCondition(
  conditions: DeploymentConditions,
  condition: DeploymentCondition,
): DeploymentConditions {
  const { type, status } = condition;
  const old = conditions.find((one) => one.type === type);
  const { lastTransitionTime } = old?.status === status ? old : condition;
  return [...conditions.filter((one) => one.type !== type), { ...condition, lastTransitionTime }];
}

/** A condition of a replica set as one of its deployment. */
export const conditionOfReplicaSet = (condition: ReplicaSetCondition): DeploymentCondition => ({
  ...condition,
  lastUpdateTime: condition.lastTransitionTime,
});
