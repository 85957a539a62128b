import type { Clock } from "../../../base/clock.ts";
import type { Metrics } from "../../../base/metrics.ts";
import type { Validity } from "./rotation-time.ts";

/** Counts the renewals of a certificate. */
export interface CertificateMetrics {
  failed(): void;
  /** A certificate was replaced after so many seconds. */
  rotated(seconds: number): void;
}

interface MetricsOptions {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** The certificate in use, if any. */
  readonly current: () => Validity | undefined;
}

const stability = "ALPHA";
const failures = { help: "Counter of certificate renewal errors.", stability } as const;

/** The metrics of a kubelet's client certificate. */
export function clientCertificateMetrics(options: MetricsOptions): CertificateMetrics {
  const { metrics } = options;
  const name = "kubelet_certificate_manager_client_expiration_renew_errors";
  const failed = metrics.counter({ name, ...failures }).of();
  showRemainder(options, {
    name: "kubelet_certificate_manager_client_ttl_seconds",
    help: "Gauge of the TTL (time-to-live) of the Kubelet's client certificate. The value is in seconds until certificate expiry (negative if already expired). If client certificate is invalid or unused, the value will be +INF.",
  });
  return { failed: () => failed.add(1), rotated() {} };
}

/** The metrics of a kubelet's serving certificate. */
export function servingCertificateMetrics(options: MetricsOptions): CertificateMetrics {
  const { metrics } = options;
  const failed = metrics.counter({ name: "kubelet_server_expiration_renew_errors", ...failures });
  const ages = metrics.histogram({
    name: "kubelet_certificate_manager_server_rotation_seconds",
    help: "Histogram of the number of seconds the previous certificate lived before being rotated.",
    stability,
    buckets: [
      60,
      hour,
      4 * hour,
      day,
      7 * day,
      30 * day,
      90 * day,
      180 * day,
      360 * day,
      1440 * day,
    ],
  });
  showRemainder(options, {
    name: "kubelet_certificate_manager_server_ttl_seconds",
    help: "Gauge of the shortest TTL (time-to-live) of the Kubelet's serving certificate. The value is in seconds until certificate expiry (negative if already expired). If serving certificate is invalid or unused, the value will be +INF.",
  });
  return {
    failed: () => failed.of().add(1),
    rotated: (seconds) => ages.of().observe(seconds),
  };
}

const hour = 3600;
const day = 24 * hour;

function showRemainder(
  { metrics, clock, current }: MetricsOptions,
  definition: { readonly name: string; readonly help: string },
): void {
  const gauge = metrics.gauge({ ...definition, stability }).of();
  metrics.onRead(() => {
    const { notAfter = Number.POSITIVE_INFINITY } = current() ?? {};
    gauge.set(Math.trunc((notAfter - clock.now()) / 1000));
  });
}
