import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Client } from "../../client/client.ts";
import type { EventRecorder } from "../../controller-runtime/events/event-recorder.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import type { Selector } from "../../schema/selectors/label-selector.ts";
import type { AutoscalerMetrics } from "./autoscaler-metrics.ts";
import type { MetricSources } from "./metric-sources.ts";
import type { ScaleTarget } from "./scale-target.ts";
import type { SelectingAutoscalers } from "./selecting-autoscalers.ts";

/** What deciding about an autoscaler needs. */
export interface AutoscalerContext
  extends Pick<RunnableContext, "clock" | "ticks" | "random" | "log"> {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly metrics: AutoscalerMetrics;
  readonly sources: MetricSources;
  readonly selecting: SelectingAutoscalers;
  readonly settings: ScalingSettings;
  readonly signal: AbortSignal;
  target(autoscaler: HorizontalPodAutoscaler): Promise<ScaleTarget>;
  pods(namespace: string, selector: Selector): readonly Pod[];
}

export interface ScalingSettings {
  readonly downscaleStabilizationMs: number;
  readonly tolerance: number;
  readonly cpuInitializationMs: number;
  readonly initialReadinessDelayMs: number;
}
