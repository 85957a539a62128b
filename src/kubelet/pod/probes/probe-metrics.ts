import type { Metrics } from "../../../base/metrics.ts";
import type { ProbeKind } from "./probe-results.ts";

/** Counts the probes of a node's containers, for `/metrics/probes`. */
export interface ProbeMetrics {
  /** A probe has a result; its duration in seconds counts if it succeeded. */
  observe(series: ProbeSeries, result: "success" | "failure", seconds: number): void;
  /** Forgets the probes of a container that is no longer probed. */
  remove(series: ProbeSeries): void;
}

/** What the metrics of one probe are labelled with. */
export interface ProbeSeries {
  readonly kind: ProbeKind;
  readonly container: string;
  readonly pod: string;
  readonly namespace: string;
  readonly uid: string;
}

/** Registers the metrics of probes. */
export function createProbeMetrics(metrics: Metrics): ProbeMetrics {
  const total = metrics.counter({
    name: "prober_probe_total",
    help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
    stability: "BETA",
    labels: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
  });
  const duration = metrics.histogram({
    name: "prober_probe_duration_seconds",
    help: "Duration in seconds for a probe response.",
    stability: "ALPHA",
    labels: ["probe_type", "container", "pod", "namespace"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const totalLabels = ({ kind, container, pod, namespace, uid }: ProbeSeries, result: string) =>
    [probeTitles[kind], result, container, pod, namespace, uid] as const;
  const durationLabels = ({ kind, container, pod, namespace }: ProbeSeries) =>
    [probeTitles[kind], container, pod, namespace] as const;
  return {
    observe(series, result, seconds) {
      total.of(...totalLabels(series, resultLabels[result])).add(1);
      if (result === "success") duration.of(...durationLabels(series)).observe(seconds);
    },
    remove(series) {
      for (const result of Object.values(resultLabels))
        total.remove(...totalLabels(series, result));
      duration.remove(...durationLabels(series));
    },
  };
}

const resultLabels = { success: "successful", failure: "failed" } as const;

/** The kinds of probes in messages and labels. */
export const probeTitles = {
  startup: "Startup",
  readiness: "Readiness",
  liveness: "Liveness",
} as const;
