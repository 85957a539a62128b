import { controllerModule } from "../controller-module.ts";
import { durationSetting, floatSetting, intSetting } from "../controller-setting.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler-controller.ts";

const minute = 60_000;

export const horizontalPodAutoscalerModule = controllerModule({
  name: "horizontal-pod-autoscaler-controller",
  aliases: ["horizontalpodautoscaling"],
  account: "horizontal-pod-autoscaler",
  settings: {
    concurrency: intSetting({
      flag: "concurrent-horizontal-pod-autoscaler-syncs",
      field: "HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
      usage: "how many autoscalers are reconciled at a time",
      default: 5,
    }),
    periodMs: durationSetting({
      flag: "horizontal-pod-autoscaler-sync-period",
      field: "HPAController.HorizontalPodAutoscalerSyncPeriod",
      usage: "how often each autoscaler reads its metrics",
      default: 15_000,
    }),
    downscaleStabilizationMs: durationSetting({
      flag: "horizontal-pod-autoscaler-downscale-stabilization",
      field: "HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow",
      usage: "for how long the highest recommendation delays scaling down",
      default: 5 * minute,
    }),
    tolerance: floatSetting({
      flag: "horizontal-pod-autoscaler-tolerance",
      field: "HPAController.HorizontalPodAutoscalerTolerance",
      usage: "the tolerated relative difference between the measured and the desired value",
      default: 0.1,
    }),
    cpuInitializationMs: durationSetting({
      flag: "horizontal-pod-autoscaler-cpu-initialization-period",
      field: "HPAController.HorizontalPodAutoscalerCPUInitializationPeriod",
      usage: "for how long after its start the CPU usage of a pod may be ignored",
      default: 5 * minute,
    }),
    initialReadinessDelayMs: durationSetting({
      flag: "horizontal-pod-autoscaler-initial-readiness-delay",
      field: "HPAController.HorizontalPodAutoscalerInitialReadinessDelay",
      usage: "for how long after its start a pod's readiness changes count as initial",
      default: 30_000,
    }),
  },
  create: (settings) => ({ run: [horizontalPodAutoscalerController(settings)] }),
});
