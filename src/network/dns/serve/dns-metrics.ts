import type { Metrics } from "../../../base/metrics.ts";
import { codeText, typeText } from "../message/dns-codes.ts";

export interface ServedQuery {
  readonly protocol: "udp" | "tcp";
  readonly family: "1" | "2";
  readonly zone: string;
  readonly type: number;
  readonly code: number;
  readonly seconds: number;
}

/** What is counted. The names are those of CoreDNS, so that dashboards for it show this server, too. */
export interface DnsMetrics {
  served(query: ServedQuery): void;
  forwarded(server: string, code: number, seconds: number): void;
  forwardFailed(server: string): void;
  rejected(): void;
  cached(isPositive: boolean): void;
  missed(): void;
  cacheEntries(count: number): void;
}

/** Registers the metrics of a DNS server. */
export function dnsMetrics(metrics: Metrics, server = "dns://:53"): DnsMetrics {
  const requests = metrics.counter({
    name: "coredns_dns_requests_total",
    help: "Counter of DNS requests made per zone, protocol and family.",
    labels: ["server", "zone", "view", "proto", "family", "type"],
  });
  const responses = metrics.counter({
    name: "coredns_dns_responses_total",
    help: "Counter of response status codes.",
    labels: ["server", "zone", "view", "rcode", "plugin"],
  });
  const durations = metrics.histogram({
    name: "coredns_dns_request_duration_seconds",
    help: "Histogram of the time (in seconds) each request took per zone.",
    labels: ["server", "zone", "view"],
    buckets,
  });
  const proxied = metrics.histogram({
    name: "coredns_proxy_request_duration_seconds",
    help: "Histogram of the time each request took.",
    labels: ["proxy_name", "to", "rcode"],
    buckets,
  });
  const failures = metrics.counter({
    name: "coredns_proxy_healthcheck_failures_total",
    help: "Counter of the number of failed healthchecks.",
    labels: ["proxy_name", "to"],
  });
  const rejects = metrics.counter({
    name: "coredns_forward_max_concurrent_rejects_total",
    help: "Counter of the number of queries rejected because the concurrent queries were at maximum.",
  });
  const hits = metrics.counter({
    name: "coredns_cache_hits_total",
    help: "The count of cache hits.",
    labels: ["server", "type", "zones", "view"],
  });
  const misses = metrics.counter({
    name: "coredns_cache_misses_total",
    help: "The count of cache misses. Deprecated, derive misses from cache hits/requests counters.",
    labels: ["server", "zones", "view"],
  });
  const entries = metrics.gauge({
    name: "coredns_cache_entries",
    help: "The number of elements in the cache.",
    labels: ["server", "type", "zones", "view"],
  });
  return {
    served({ protocol, family, zone, type, code, seconds }) {
      const plugin = zone === "." ? "forward" : "kubernetes";
      requests.of(server, zone, "", protocol, family, typeText(type)).add(1);
      responses.of(server, zone, "", codeText(code), plugin).add(1);
      durations.of(server, zone, "").observe(seconds);
    },
    forwarded: (to, code, seconds) => proxied.of("forward", to, codeText(code)).observe(seconds),
    forwardFailed: (to) => failures.of("forward", to).add(1),
    rejected: () => rejects.of().add(1),
    cached: (isPositive) => hits.of(server, isPositive ? "success" : "denial", ".", "").add(1),
    missed: () => misses.of(server, ".", "").add(1),
    cacheEntries: (count) => entries.of(server, "success", ".", "").set(count),
  };
}

const buckets = Array.from({ length: 16 }, (_, i) => 0.00025 * 2 ** i);
