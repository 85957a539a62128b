import type { APIService } from "../../api/apiregistration/v1/api-service.ts";
import type { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { Registry } from "../objects/registry.ts";

/** The metrics of the APIs that are registered, which are read from the cache when somebody asks. */
export function readApiServiceMetrics(
  metrics: MetricsRegistry,
  { cache, resources }: Pick<Registry, "cache" | "resources">,
): void {
  const kind = resources.find("apiregistration.k8s.io", "v1", "apiservices");
  if (!kind) return;
  const family = metrics.gauge(unavailable);
  metrics.onRead(() => {
    family.reset();
    const services = cache.of(kind);
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
