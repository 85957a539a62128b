import type { Counter, Family, Histogram, Metrics } from "../../base/metrics.ts";

/** The metrics of scheduling groups of pods, with upstream's names. */
export interface GroupMetrics {
  readonly attempts: Family<Counter>;
  readonly attemptSeconds: Family<Histogram>;
  readonly algorithmSeconds: Histogram;
}

/** Creates them; they are there only where groups are scheduled. */
export const groupMetrics = (metrics: Metrics): GroupMetrics => ({
  attempts: metrics.counter({
    name: "scheduler_podgroup_schedule_attempts_total",
    help: "Attempts to schedule a group of pods, by result.",
    stability: "ALPHA",
    labels: ["result", "profile"],
  }),
  attemptSeconds: metrics.histogram({
    name: "scheduler_podgroup_scheduling_attempt_duration_seconds",
    help: "How long attempts to schedule a group of pods took.",
    stability: "ALPHA",
    labels: ["result", "profile"],
    buckets,
  }),
  algorithmSeconds: metrics
    .histogram({
      name: "scheduler_podgroup_scheduling_algorithm_duration_seconds",
      help: "How long finding nodes for a group of pods took.",
      stability: "ALPHA",
      buckets,
    })
    .of(),
});

const buckets = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
