import type { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { ClusterDns } from "./cluster-dns.ts";

/** The pages for monitoring and probes. */
export const dnsPages =
  (dns: Pick<ClusterDns, "hasSynced">, metrics: MetricsRegistry) =>
  (path: string): { readonly status: number; readonly text: string } => {
    switch (path) {
      case "/metrics":
        return { status: 200, text: metrics.text() };
      case "/health":
        return { status: 200, text: "OK" };
      case "/ready":
        return dns.hasSynced ? { status: 200, text: "OK" } : { status: 503, text: "kubernetes" };
      default:
        return { status: 404, text: "404 page not found\n" };
    }
  };
