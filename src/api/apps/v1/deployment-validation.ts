import type { At } from "../../../schema/language/report.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import { amountOf, validateAtMost100Percent, validateCountOrPercent } from "./count-or-percent.ts";
import type {
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from "./deployment-spec.ts";
import {
  validateCollisionCount,
  validateNonnegative,
  validateReplicaCounts,
  validateReplicated,
} from "./replica-validation.ts";

/** What a deployment is valid by beside its spec. */
export interface DeploymentValidationOptions extends PodValidationOptions {
  /** The revision that it is to go back to, if it is. */
  readonly rollbackTo?: bigint | undefined;
}

export function validateDeploymentSpec(
  spec: DeploymentSpec,
  at: At,
  { rollbackTo = 0n, ...options }: DeploymentValidationOptions,
): void {
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  validateNonnegative(spec, at, "replicas");
  validateReplicated(spec, at, options);
  validateStrategy(spec.strategy, at.child("strategy"));
  validateNonnegative(spec, at, "minReadySeconds", "revisionHistoryLimit");
  if (rollbackTo < 0n)
    at.child("rollback").invalid("version", rollbackTo, "must be greater than or equal to 0");
  validateNonnegative(spec, at, "progressDeadlineSeconds");
  if (progressDeadlineSeconds <= minReadySeconds)
    at.invalid(
      "progressDeadlineSeconds",
      progressDeadlineSeconds,
      "must be greater than minReadySeconds",
    );
}

export function validateDeploymentStatus(
  status: DeploymentStatus,
  old: DeploymentStatus,
  at: At,
): void {
  validateNonnegative(
    status,
    at,
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  );
  validateReplicaCounts(status, at, "updatedReplicas");
  validateCollisionCount(status, old, at);
}

function validateStrategy({ type, rollingUpdate }: DeploymentStrategy, at: At): void {
  if (type === "Recreate") {
    if (rollingUpdate)
      at.forbidden("rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
  } else if (type === "RollingUpdate")
    validateRollingUpdate(rollingUpdate ?? {}, at.child("rollingUpdate"));
  else {
    // Shown as upstream holds it in memory.
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
    const shown = { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
    at.notSupported("", { Type: type, RollingUpdate: rollingUpdate ? shown : null }, [
      "Recreate",
      "RollingUpdate",
    ]);
  }
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDeployment,
  at: At,
): void {
  validateCountOrPercent("maxUnavailable", maxUnavailable, at);
  validateCountOrPercent("maxSurge", maxSurge, at);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0)
    at.invalid("maxUnavailable", maxUnavailable, "may not be 0 when `maxSurge` is 0");
  validateAtMost100Percent("maxUnavailable", maxUnavailable, at);
}
