import {
  int32,
  int64,
  list,
  message,
  named,
  quantity,
  time,
  value,
} from "../../../schema/language/field.ts";
import {
  type Draft,
  type Infer,
  type InferInput,
  struct,
} from "../../../schema/language/struct.ts";
import { ownCondition } from "../../meta/v1/condition.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./metric.ts";

const prefix = "io.k8s.api.autoscaling.v2";

export const HPAScalingPolicy = struct(`${prefix}.HPAScalingPolicy`, {
  type: named(1, "v2.HPAScalingPolicyType")
    .always()
    .expected()
    .known("Pods", "Percent")
    .doc("What the value counts: Pods or Percent."),
  value: int32(2).always().expected().doc("How much may change in a period."),
  periodSeconds: int32(3).always().expected().doc("The length of the period, up to half an hour."),
}).doc("How fast the number of pods may change.");
export interface HPAScalingPolicy extends Infer<typeof HPAScalingPolicy> {}

export const HPAScalingRules = struct(`${prefix}.HPAScalingRules`, {
  stabilizationWindowSeconds: int32(3)
    .pointer()
    .doc("How far back earlier recommendations count, up to an hour."),
  selectPolicy: named(1, "v2.ScalingPolicySelect")
    .pointer()
    .known("Max", "Min", "Disabled")
    .doc("Which policy counts: Max, Min, or Disabled for none at all."),
  policies: list(2, HPAScalingPolicy).atomic().doc("How fast the number may change."),
  tolerance: quantity(4).doc("A deviation of the metrics below which nothing is changed."),
}).doc("How the number of pods changes in one direction.");
export interface HPAScalingRules extends Infer<typeof HPAScalingRules> {}

export const HorizontalPodAutoscalerBehavior = struct(`${prefix}.HorizontalPodAutoscalerBehavior`, {
  scaleUp: message(1, HPAScalingRules).doc("How pods are added."),
  scaleDown: message(2, HPAScalingRules).doc("How pods are removed."),
})
  .defaults((behavior) => {
    behavior.scaleUp = rulesWith(behavior.scaleUp, defaultScaleUp);
    behavior.scaleDown = rulesWith(behavior.scaleDown, defaultScaleDown);
  })
  .doc("How the number of pods changes.");
export interface HorizontalPodAutoscalerBehavior
  extends Infer<typeof HorizontalPodAutoscalerBehavior> {}

/** The metric that counts where none is given, and of it what is aimed at. */
export const cpuUtilization = (averageUtilization: number): Draft<MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
/** Per cent of the requested CPU that is aimed at where nothing else is. */
export const defaultCpuUtilization = 80;

export const HorizontalPodAutoscalerSpec = struct(`${prefix}.HorizontalPodAutoscalerSpec`, {
  scaleTargetRef: value(1, CrossVersionObjectReference)
    .expected()
    .doc("What is scaled: an object with a scale subresource."),
  minReplicas: int32(2).pointer().default(1).doc("The least number of pods."),
  maxReplicas: int32(3).always().expected().doc("The greatest number of pods."),
  metrics: list(4, MetricSpec)
    .atomic()
    .doc("What decides: the metric that asks for most pods. 80 % of CPU without any."),
  behavior: message(5, HorizontalPodAutoscalerBehavior).doc("How the number of pods changes."),
})
  .validatedElsewhere()
  .defaults((spec) => {
    if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuUtilization(defaultCpuUtilization)];
  })
  .doc("What is scaled, between which bounds, and by what.");
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

export const HorizontalPodAutoscalerCondition = ownCondition(
  `${prefix}.HorizontalPodAutoscalerCondition`,
  "v2.HorizontalPodAutoscalerConditionType",
  "ScalingActive",
  "AbleToScale",
  "ScalingLimited",
  "ScaledToZero",
).doc("One aspect of the state of an autoscaler.");
export interface HorizontalPodAutoscalerCondition
  extends Infer<typeof HorizontalPodAutoscalerCondition> {}

export const HorizontalPodAutoscalerStatus = struct(`${prefix}.HorizontalPodAutoscalerStatus`, {
  observedGeneration: int64(1).pointer().doc("The generation that was looked at."),
  lastScaleTime: time(2).doc("When the number of pods was last changed."),
  currentReplicas: int32(3).doc("How many pods there are."),
  desiredReplicas: int32(4).always().expected().doc("How many there should be."),
  currentMetrics: list(5, MetricStatus).always().atomic().doc("What the metrics are."),
  conditions: list(6, HorizontalPodAutoscalerCondition)
    .keyedBy("type")
    .doc("Whether it can scale, and does."),
}).doc("What an autoscaler sees and does.");
export interface HorizontalPodAutoscalerStatus
  extends Infer<typeof HorizontalPodAutoscalerStatus> {}

type Rules = Draft<InferInput<typeof HPAScalingRules>>;

const defaultScaleUp: Rules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const defaultScaleDown: Rules = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
};

function rulesWith(given: Rules | undefined, defaults: Rules): Rules {
  return { ...structuredClone(defaults), ...given };
}
