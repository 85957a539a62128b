import { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { VersionInfo } from "../documents/documents.ts";
import type { CheckOutcome } from "../documents/health-endpoints.ts";
import type { InFlight } from "../request/load/in-flight.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import { AccessMetrics } from "./access-metrics.ts";
import { auditMetrics } from "./audit-metrics.ts";
import { readCacheMetrics } from "./cache-metrics.ts";
import { ReadMetrics } from "./read-metrics.ts";
import { readRegisteredMetrics } from "./registered-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { WatchMetrics } from "./watch-metrics.ts";

/** The metrics of the server: `/metrics` has most of them, `/metrics/slis` those of health checks. */
export class ServerMetrics {
  readonly all = new MetricsRegistry();
  readonly slis = new MetricsRegistry();
  readonly requests = new RequestMetrics(this.all);
  readonly watches = new WatchMetrics(this.all);
  readonly access = new AccessMetrics(this.all);
  readonly reads = new ReadMetrics(this.all);
  /** When the server was started, in milliseconds since the epoch. */
  readonly startedAt: number;

  constructor(startedAt: number) {
    this.startedAt = startedAt;
    // Counted where connections are made.
    this.all.counter(tlsHandshakeErrors).of();
    auditMetrics(this.all);
    const started = this.slis.gauge(processStart).of();
    this.slis.onRead(() => started.set(startedAt / 1000));
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
    const current = this.all.gauge(currentInFlight);
    const build = this.all.gauge(buildInfo);
    const compatible = this.all.gauge(compatibility);
    const size = storeBytes && this.all.gauge(storeSize).of(onlyCluster);
    this.all.onRead(() => {
      if (storeBytes) size?.set(storeBytes());
      current.of("readOnly").set(inFlight.most("reading"));
      current.of("mutating").set(inFlight.most("writing"));
      build.of(...buildInfo.labels.map((label) => version[camelCase(label)] ?? "")).set(1);
      compatible.of("kube", ...compatibleVersions(version)).set(1);
    });
  }

  /** Counts the outcome of a health check. */
  checked({ name, endpoint, ok }: CheckOutcome): void {
    this.slis
      .gauge(healthcheck)
      .of(name, endpoint)
      .set(ok ? 1 : 0);
    this.slis
      .counter(healthchecks)
      .of(name, endpoint, ok ? "success" : "error")
      .add(1);
  }
}

/** How many TLS handshakes failed. */
export const tlsHandshakeErrors = {
  name: "apiserver_tls_handshake_errors_total",
  help: "TLS handshakes that failed.",
  stability: "ALPHA",
} as const;

/** The binary version, the emulated version and the oldest compatible one. */
const compatibleVersions = (version: VersionInfo): string[] =>
  [
    [version.gitVersion.replace(/^v/, "")],
    [version.emulationMajor, version.emulationMinor],
    [version.minCompatibilityMajor, version.minCompatibilityMinor],
  ].map((parts) => parts.filter((part) => part !== undefined).join("."));

const camelCase = (label: string): string =>
  label.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const processStart = {
  name: "process_start_time_seconds",
  help: "When the process started, in seconds since 1970.",
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

const buildInfo = {
  name: "kubernetes_build_info",
  help: "Always 1; its labels say which version this is and what it runs on.",
  stability: "BETA",
  labels: [
    "major",
    "minor",
    "git_version",
    "git_commit",
    "git_tree_state",
    "build_date",
    "go_version",
    "compiler",
    "platform",
  ],
} as const;

const compatibility = {
  name: "version_info",
  help: "Always 1; its labels say which versions of Kubernetes this one stands for.",
  stability: "ALPHA",
  labels: ["component", "binary", "emulation", "min_compat"],
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
