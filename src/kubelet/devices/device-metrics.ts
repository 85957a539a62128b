import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";

/** Counts what device plugins do. */
export interface DeviceMetrics {
  registered(resource: string): void;
  /** A plugin is asked for devices; the result is called when it has answered. */
  beginAllocation(resource: string): () => void;
}

/** Registers the metrics of device plugins. */
export function createDeviceMetrics(metrics: Metrics, clock: Clock): DeviceMetrics {
  const registrations = metrics.counter({
    name: "kubelet_device_plugin_registration_total",
    help: "Cumulative number of device plugin registrations. Broken down by resource name.",
    stability: "ALPHA",
    labels: ["resource_name"],
  });
  const durations = metrics.histogram({
    name: "kubelet_device_plugin_alloc_duration_seconds",
    help: "Duration in seconds to serve a device plugin Allocation request. Broken down by resource name.",
    stability: "ALPHA",
    labels: ["resource_name"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return {
    registered: (resource) => registrations.of(resource).add(1),
    beginAllocation(resource) {
      const start = clock.now();
      return () => durations.of(resource).observe((clock.now() - start) / 1000);
    },
  };
}
