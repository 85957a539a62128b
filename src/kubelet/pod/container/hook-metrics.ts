import type { Metrics } from "../../../base/metrics.ts";

/** Counts what is unusual about hooks. */
export interface HookMetrics {
  /** A server of a hook speaks HTTP instead of HTTPS. */
  fellBack(): void;
  /** A container ended before its hook had slept enough. */
  cutSleep(): void;
}

/** Registers the metrics of hooks. */
export function createHookMetrics(metrics: Metrics): HookMetrics {
  const fallbacks = metrics
    .counter({
      name: "kubelet_lifecycle_handler_http_fallbacks_total",
      help: "The number of times lifecycle handlers successfully fell back to http from https.",
      stability: "ALPHA",
    })
    .of();
  const sleeps = metrics
    .counter({
      name: "kubelet_sleep_action_terminated_early_total",
      help: "The number of times lifecycle sleep handler got terminated before it finishes",
      stability: "ALPHA",
    })
    .of();
  return { fellBack: () => fallbacks.add(1), cutSleep: () => sleeps.add(1) };
}
