import { isValidPercent } from "../../../schema/names.ts";
import type { At } from "../../../schema/report.ts";
import type { PodValidationOptions } from "../../core/v1/pod-validation-options.ts";
import type {
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from "./deployment-spec.ts";
import {
  validateNonnegative,
  validateReplicaCounts,
  validateReplicated,
} from "./replica-validation.ts";

export function validateDeploymentSpec(
  spec: DeploymentSpec,
  at: At,
  options: PodValidationOptions,
): void {
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  validateNonnegative(spec, at, "replicas");
  validateReplicated(spec, at, options);
  validateStrategy(spec.strategy, at.child("strategy"));
  validateNonnegative(
    spec,
    at,
    "minReadySeconds",
    "revisionHistoryLimit",
    "progressDeadlineSeconds",
  );
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
  const { collisionCount } = status;
  if (old.collisionCount !== undefined && (collisionCount ?? -1) < old.collisionCount)
    at.invalid("collisionCount", collisionCount ?? 0, "cannot be decremented");
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
  if (isPercent(maxUnavailable) && amountOf(maxUnavailable) > 100)
    at.invalid("maxUnavailable", maxUnavailable, "must not be greater than 100%");
}

function validateCountOrPercent(field: string, value: number | string, at: At): void {
  if (typeof value === "string") at.invalidEach(field, value, isValidPercent(value));
  else if (value < 0) at.invalid(field, value, "must be greater than or equal to 0");
}

const isPercent = (value: number | string): value is string =>
  typeof value === "string" && isValidPercent(value).length === 0;

/** The number that is meant, of pods or per cent; 0 where there is none. */
function amountOf(value: number | string): number {
  if (typeof value === "number") return value;
  const digits = isPercent(value) ? value.slice(0, -1) : value;
  return /^[+-]?[0-9]+$/.test(digits) ? Number(digits) : 0;
}
