import type { MetricSelection } from "../../base/metric-selection.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { VersionInfo } from "../documents/documents.ts";
import type { InFlight } from "../request/load/in-flight.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import { AccessMetrics } from "./access-metrics.ts";
import { AuditMetrics } from "./audit-metrics.ts";
import { addBuildMetrics } from "./build-metrics.ts";
import { readCacheMetrics } from "./cache-metrics.ts";
import { HealthSlis } from "./health-slis.ts";
import { ReadMetrics } from "./read-metrics.ts";
import { readRegisteredMetrics } from "./registered-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { WatchMetrics } from "./watch-metrics.ts";

/** The metrics of the server: `/metrics` has most of them, `/metrics/slis` those of health checks. */
export class ServerMetrics {
  readonly all: MetricsRegistry;
  readonly slis: HealthSlis;
  readonly requests: RequestMetrics;
  readonly watches: WatchMetrics;
  readonly access: AccessMetrics;
  readonly reads: ReadMetrics;
  readonly audit: AuditMetrics;
  /** When the server was started, in milliseconds since the epoch. */
  readonly startedAt: number;

  constructor(startedAt: number, selection: MetricSelection = {}) {
    this.startedAt = startedAt;
    this.all = new MetricsRegistry(selection);
    this.requests = new RequestMetrics(this.all);
    this.watches = new WatchMetrics(this.all);
    this.access = new AccessMetrics(this.all);
    this.reads = new ReadMetrics(this.all);
    this.audit = new AuditMetrics(this.all);
    // Counted where connections are made.
    this.all.counter(tlsHandshakeErrors).of();
    this.slis = new HealthSlis(startedAt, selection);
  }

  /** Registers metrics whose values are read when `/metrics` is requested. */
  observe(sources: {
    readonly cache: WatchCache;
    readonly inFlight: InFlight;
    readonly version: VersionInfo;
    readonly storeBytes?: () => number;
  }): void {
    const { cache, inFlight, version, storeBytes } = sources;
    readCacheMetrics(this.all, cache);
    readRegisteredMetrics(this.all);
    addBuildMetrics(this.all, version);
    const current = this.all.gauge(currentInFlight);
    const size = storeBytes && this.all.gauge(storeSize).of(onlyCluster);
    this.all.onRead(() => {
      if (storeBytes) size?.set(storeBytes());
      current.of("readOnly").set(inFlight.most("reading"));
      current.of("mutating").set(inFlight.most("writing"));
    });
  }
}

/** How many TLS handshakes failed. */
export const tlsHandshakeErrors = {
  name: "apiserver_tls_handshake_errors_total",
  help: "TLS handshakes that failed.",
  stability: "ALPHA",
} as const;

const storeSize = {
  name: "apiserver_storage_size_bytes",
  help: "Bytes that the store takes on disk.",
  stability: "STABLE",
  labels: ["storage_cluster_id"],
} as const;

/** Upstream's name of its first etcd cluster. */
const onlyCluster = "etcd-0";

const currentInFlight = {
  name: "apiserver_current_inflight_requests",
  help: "The most requests that were served at once in the last second, by whether they write.",
  stability: "STABLE",
  labels: ["request_kind"],
} as const;
