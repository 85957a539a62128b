import type { DeploymentSpec } from "../../api/apps/v1/deployment-spec.ts";
import { type IntOrString, scaledValue } from "../../schema/values/int-or-string.ts";

/** How many pods beyond the desired ones a deployment may have while it is rolled out. */
export const maxSurge = (spec: DeploymentSpec): number =>
  isRollingUpdate(spec) ? fenceposts(spec).surge : 0;

/** How many of the desired pods may be missing meanwhile. */
export function maxUnavailable(spec: DeploymentSpec): number {
  const { replicas } = spec;
  if (!isRollingUpdate(spec) || replicas === 0) return 0;
  return Math.min(fenceposts(spec).unavailable, replicas);
}

export const isRollingUpdate = ({ strategy }: DeploymentSpec): boolean =>
  strategy.type === "RollingUpdate";

/** Surge is rounded up and absence down; if both came to nothing, a rollout could not go on. */
function fenceposts({ strategy, replicas }: DeploymentSpec) {
  const surge = shareOf(strategy.rollingUpdate?.maxSurge, replicas, "up");
  const unavailable = shareOf(strategy.rollingUpdate?.maxUnavailable, replicas, "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** A text that is no share counts as nothing: the server refuses it. */
function shareOf(value: IntOrString | undefined, of: number, rounding: "up" | "down"): number {
  try {
    return scaledValue(value ?? 0, of, rounding);
  } catch {
    return 0;
  }
}
