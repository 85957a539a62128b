import type { At } from "../../../schema/language/report.ts";
import { parseQuantity, quantitySign } from "../../../schema/values/quantity.ts";
import type {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  HPAScalingPolicy,
  HPAScalingRules,
} from "./horizontal-pod-autoscaler-spec.ts";
import type { MetricSpec } from "./metric.ts";
import {
  apiVersionProblem,
  type ReferenceOptions,
  validateMetricSpec,
  validateReference,
} from "./metric-validation.ts";

const maxPeriodSeconds = 1800;
const maxStabilizationWindowSeconds = 3600;

/** The rules of an autoscaler; what was allowed before stays so. */
export function validateHorizontalPodAutoscalerSpec(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  at: At,
): void {
  const { minReplicas, maxReplicas, behavior } = spec;
  const least = old?.minReplicas === 0 ? 0 : 1;
  if (minReplicas < least)
    at.invalid("minReplicas", minReplicas, `must be greater than or equal to ${least}`);
  if (maxReplicas === 0) at.required("maxReplicas", "must be set and greater than 0");
  else if (maxReplicas < 0)
    at.invalid("maxReplicas", maxReplicas, "must be greater than or equal to 1");
  if (maxReplicas < minReplicas)
    at.invalid("maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`");
  validateReference(
    spec.scaleTargetRef,
    at.child("scaleTargetRef"),
    targetOptions(spec.scaleTargetRef, old?.scaleTargetRef),
  );
  validateMetrics(spec, old?.metrics, at.child("metrics"));
  validateScalingRules(behavior?.scaleUp, at.child("behavior").child("scaleUp"));
  validateScalingRules(behavior?.scaleDown, at.child("behavior").child("scaleDown"));
}

/** The rules of what an autoscaler reports. */
export function validateHorizontalPodAutoscalerStatus(
  { currentReplicas = 0, desiredReplicas }: HorizontalPodAutoscalerStatus,
  at: At,
): void {
  for (const [field, value] of Object.entries({ currentReplicas, desiredReplicas }))
    if (value < 0) at.invalid(field, value, "must be greater than or equal to 0");
}

type Target = HorizontalPodAutoscalerSpec["scaleTargetRef"];

function targetOptions(target: Target, old: Target | undefined): ReferenceOptions {
  if (old && old.apiVersion === target.apiVersion && old.kind === target.kind)
    return { allowInvalidVersion: true };
  return { allowEmptyGroup: target.kind === "ReplicationController" };
}

function validateMetrics(
  { metrics = [], minReplicas }: HorizontalPodAutoscalerSpec,
  old: readonly MetricSpec[] = [],
  at: At,
): void {
  const hadInvalid = old.some(
    ({ type, object }) =>
      type === "Object" &&
      object &&
      apiVersionProblem(object.describedObject, { allowEmptyGroup: true }) !== undefined,
  );
  for (const [i, metric] of metrics.entries())
    validateMetricSpec(metric, at.index(i), {
      allowEmptyGroup: true,
      allowInvalidVersion: hadInvalid,
    });
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External"))
    at.forbidden(
      "",
      "must specify at least one Object or External metric to support scaling to zero replicas",
    );
}

function validateScalingRules(rules: HPAScalingRules | undefined, at: At): void {
  if (!rules) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  if (window !== undefined && window < 0)
    at.invalid("stabilizationWindowSeconds", window, "must be greater than or equal to zero");
  if (window !== undefined && window > maxStabilizationWindowSeconds)
    at.invalid(
      "stabilizationWindowSeconds",
      window,
      `must be less than or equal to ${maxStabilizationWindowSeconds}`,
    );
  if (selectPolicy !== undefined && !["Disabled", "Max", "Min"].includes(selectPolicy))
    at.notSupported("selectPolicy", selectPolicy, ["Disabled", "Max", "Min"]);
  if (policies.length === 0) at.required("policies", "must specify at least one Policy");
  for (const [i, policy] of policies.entries())
    validateScalingPolicy(policy, at.child("policies").index(i));
  if (tolerance !== undefined && quantitySign(parseQuantity(tolerance)) < 0)
    at.invalid("tolerance", tolerance, "must be greater than or equal to 0");
}

function validateScalingPolicy({ type, value, periodSeconds }: HPAScalingPolicy, at: At): void {
  if (type !== "Pods" && type !== "Percent") at.notSupported("type", type, ["Percent", "Pods"]);
  if (value <= 0) at.invalid("value", value, "must be greater than zero");
  if (periodSeconds <= 0) at.invalid("periodSeconds", periodSeconds, "must be greater than zero");
  if (periodSeconds > maxPeriodSeconds)
    at.invalid("periodSeconds", periodSeconds, `must be less than or equal to ${maxPeriodSeconds}`);
}
