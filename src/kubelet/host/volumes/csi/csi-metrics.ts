import type { Metrics } from "../../../../base/metrics.ts";

/** Measures calls of drivers. */
export interface CsiMetrics {
  called(driver: string, method: string, code: string, seconds: number): void;
}

/** Registers the metrics of calls of drivers. */
export function createCsiMetrics(metrics: Metrics): CsiMetrics {
  const seconds = metrics.histogram({
    name: "csi_operations_seconds",
    help: "Container Storage Interface operation duration with gRPC error code status total",
    stability: "ALPHA",
    labels: ["driver_name", "method_name", "grpc_status_code", "migrated"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
  });
  return {
    // Volumes of other kinds are not translated to those of drivers here.
    called: (driver, method, code, time) => seconds.of(driver, method, code, "false").observe(time),
  };
}
