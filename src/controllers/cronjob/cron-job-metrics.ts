import type { Metrics } from "../../base/metrics.ts";

/** Measures how late jobs are created, in upstream's metric. */
export function observeSkew(metrics: Metrics, ms: number): void {
  metrics
    .histogram({
      name: "cronjob_controller_job_creation_skew_duration_seconds",
      help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
      stability: "STABLE",
      buckets: Array.from({ length: 10 }, (_, i) => 2 ** i),
    })
    .of()
    .observe(ms / 1000);
}
