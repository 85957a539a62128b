import { durationFlag, floatFlag, intFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent } from "./controller-flag.ts";

const minute = 60_000;

export const statefulSetFlags = section("Statefulset-controller flags", {
  "concurrent-statefulset-syncs": absent(
    "statefulset-controller",
    "StatefulSetController.ConcurrentStatefulSetSyncs",
    intFlag({ usage: "how many stateful sets are reconciled at a time", default: 5 }),
  ),
});

const autoscaler = "horizontal-pod-autoscaler-controller";

export const autoscalerFlags = section("Horizontal-pod-autoscaler-controller flags", {
  "concurrent-horizontal-pod-autoscaler-syncs": absent(
    autoscaler,
    "HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
    intFlag({ usage: "how many autoscalers are reconciled at a time", default: 5 }),
  ),
  "horizontal-pod-autoscaler-sync-period": absent(
    autoscaler,
    "HPAController.HorizontalPodAutoscalerSyncPeriod",
    durationFlag({ usage: "how often each autoscaler reads its metrics", default: 15_000 }),
  ),
  "horizontal-pod-autoscaler-downscale-stabilization": absent(
    autoscaler,
    "HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow",
    durationFlag({
      usage: "for how long the highest recommendation delays scaling down",
      default: 5 * minute,
    }),
  ),
  "horizontal-pod-autoscaler-tolerance": absent(
    autoscaler,
    "HPAController.HorizontalPodAutoscalerTolerance",
    floatFlag({
      usage: "the tolerated relative difference between the measured and the desired value",
      default: 0.1,
    }),
  ),
  "horizontal-pod-autoscaler-cpu-initialization-period": absent(
    autoscaler,
    "HPAController.HorizontalPodAutoscalerCPUInitializationPeriod",
    durationFlag({
      usage: "for how long after its start the CPU usage of a pod may be ignored",
      default: 5 * minute,
    }),
  ),
  "horizontal-pod-autoscaler-initial-readiness-delay": absent(
    autoscaler,
    "HPAController.HorizontalPodAutoscalerInitialReadinessDelay",
    durationFlag({
      usage: "for how long after its start a pod's readiness changes count as initial",
      default: 30_000,
    }),
  ),
});
