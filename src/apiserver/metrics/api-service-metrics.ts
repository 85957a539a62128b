import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import type { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { ObjectReader } from "../objects/reader.ts";

/** The metrics of registered APIs; they are read from the cache when `/metrics` is requested. */
export function readApiServiceMetrics(metrics: MetricsRegistry, reader: ObjectReader): void {
  const services = reader.cacheOf(APIService);
  if (!services) return;
  const family = metrics.gauge(unavailable);
  metrics.onRead(() => {
    family.reset();
    for (const { object } of services.readable(services.prefix)) {
      const { metadata, status } = object as APIService;
      const isAvailable = (status?.conditions ?? []).some(
        (condition) => condition.type === "Available" && condition.status === "True",
      );
      family.of(metadata.name ?? "").set(isAvailable ? 0 : 1);
    }
  });
}

const unavailable = {
  name: "aggregator_unavailable_apiservice",
  help: "1 for every registered API that is not available, 0 for those that are.",
  stability: "ALPHA",
  labels: ["name"],
} as const;
