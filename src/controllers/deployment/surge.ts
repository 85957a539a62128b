import type { DeploymentSpec } from "../../api/apps/v1/deployment-spec.ts";
import { type IntOrString, scaledValue } from "../../schema/values/int-or-string.ts";

/** How many pods more than desired a deployment may have during a rollout. */
export const maxSurge = (spec: DeploymentSpec): number =>
  isRollingUpdate(spec) ? fenceposts(spec).surge : 0;

/** How many of the desired pods may be unavailable during a rollout. */
export function maxUnavailable(spec: DeploymentSpec): number {
  const { replicas } = spec;
  if (!isRollingUpdate(spec) || replicas === 0) return 0;
  return Math.min(fenceposts(spec).unavailable, replicas);
}

export const isRollingUpdate = ({ strategy }: DeploymentSpec): boolean =>
  strategy.type === "RollingUpdate";

/** Surge is rounded up, unavailability down. If both are 0, one pod may be unavailable: else no rollout could proceed. */
function fenceposts({ strategy, replicas }: DeploymentSpec) {
  const surge = shareOf(strategy.rollingUpdate?.maxSurge, replicas, "up");
  const unavailable = shareOf(strategy.rollingUpdate?.maxUnavailable, replicas, "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** A text that is not a percentage counts as 0: the server rejects it. */
function shareOf(value: IntOrString | undefined, of: number, rounding: "up" | "down"): number {
  try {
    return scaledValue(value ?? 0, of, rounding);
  } catch {
    return 0;
  }
}
