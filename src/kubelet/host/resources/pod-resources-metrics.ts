import type { Metrics } from "../../../base/metrics.ts";

/** Counts requests for the resources of pods. */
export interface PodResourcesMetrics {
  /** Counts a request for a method; the result counts its failure. */
  requested(method: PodResourcesMethod): { failed(): void };
}

type PodResourcesMethod = "List" | "GetAllocatableResources" | "Get";

/** Registers the metrics of the API of resources of pods. */
export function createPodResourcesMetrics(metrics: Metrics): PodResourcesMetrics {
  const counter = (name: string, what: string) =>
    metrics.counter({
      name: `kubelet_pod_resources_endpoint_${name}`,
      help: `${what}. Broken down by server api version.`,
      stability: "ALPHA",
      labels: ["server_api_version"],
    });
  const total = counter(
    "requests_total",
    "Cumulative number of requests to the PodResource endpoint",
  );
  const of = (method: PodResourcesMethod, suffix: string) => ({
    requests: counter(
      `requests_${suffix}`,
      `Number of requests to the PodResource ${method} endpoint`,
    ),
    errors: counter(
      `errors_${suffix}`,
      `Number of requests to the PodResource ${method} endpoint which returned error`,
    ),
  });
  const byMethod = {
    List: of("List", "list"),
    GetAllocatableResources: of("GetAllocatableResources", "get_allocatable"),
    Get: of("Get", "get"),
  };
  return {
    requested(method) {
      const { requests, errors } = byMethod[method];
      total.of(version).add(1);
      requests.of(version).add(1);
      return { failed: () => errors.of(version).add(1) };
    },
  };
}

const version = "v1";
