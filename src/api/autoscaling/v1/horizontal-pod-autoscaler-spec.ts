import { int32, int64, time, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { CrossVersionObjectReference } from "./cross-version-object-reference.ts";

const prefix = "io.k8s.api.autoscaling.v1";

export const HorizontalPodAutoscalerSpec = struct(`${prefix}.HorizontalPodAutoscalerSpec`, {
  scaleTargetRef: value(1, CrossVersionObjectReference)
    .expected()
    .doc("What is scaled: an object with a scale subresource."),
  minReplicas: int32(2).pointer().default(1).doc("The least number of pods."),
  maxReplicas: int32(3).always().expected().doc("The greatest number of pods."),
  targetCPUUtilizationPercentage: int32(4)
    .pointer()
    .doc("The CPU that pods should use on average, in per cent of what they request."),
}).doc("What is scaled, between which bounds, and by what.");
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

export const HorizontalPodAutoscalerStatus = struct(`${prefix}.HorizontalPodAutoscalerStatus`, {
  observedGeneration: int64(1).pointer().doc("The generation that was looked at."),
  lastScaleTime: time(2).doc("When the number of pods was last changed."),
  currentReplicas: int32(3).always().expected().doc("How many pods there are."),
  desiredReplicas: int32(4).always().expected().doc("How many there should be."),
  currentCPUUtilizationPercentage: int32(5)
    .pointer()
    .doc("The CPU that pods use on average, in per cent of what they request."),
}).doc("What an autoscaler sees and does.");
export interface HorizontalPodAutoscalerStatus
  extends Infer<typeof HorizontalPodAutoscalerStatus> {}
