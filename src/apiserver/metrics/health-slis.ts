import type { MetricSelection } from "../../base/metric-selection.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { CheckOutcome } from "../documents/health-endpoints.ts";

/** The metrics of a component's health checks, for `/metrics/slis`. */
export class HealthSlis {
  readonly metrics: MetricsRegistry;

  constructor(startedAt: number, selection: MetricSelection = {}) {
    this.metrics = new MetricsRegistry(selection);
    const started = this.metrics.gauge(processStart).of();
    this.metrics.onRead(() => started.set(startedAt / 1000));
  }

  /** Counts the outcome of a health check. */
  checked({ name, endpoint, ok }: CheckOutcome): void {
    this.metrics
      .gauge(healthcheck)
      .of(name, endpoint)
      .set(ok ? 1 : 0);
    this.metrics
      .counter(healthchecks)
      .of(name, endpoint, ok ? "success" : "error")
      .add(1);
  }
}

const processStart = {
  name: "process_start_time_seconds",
  help: "When the process started, in seconds since 1970.",
  stability: "ALPHA",
} as const;

const healthcheck = {
  name: "kubernetes_healthcheck",
  help: "Whether a check of health succeeded when it was asked last.",
  stability: "STABLE",
  labels: ["name", "type"],
} as const;

const healthchecks = {
  name: "kubernetes_healthchecks_total",
  help: "How often checks of health ended in which way.",
  stability: "STABLE",
  labels: ["name", "type", "status"],
} as const;
