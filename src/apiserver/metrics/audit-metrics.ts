import type { Metrics } from "../../base/metrics.ts";

/** The metrics of auditing, which are shown from the start on; nothing is audited yet. */
export function auditMetrics(metrics: Metrics): void {
  metrics.counter(events).of();
  metrics.counter(rejected).of();
}

const events = {
  name: "apiserver_audit_event_total",
  help: "Events that were sent to the audit log.",
  stability: "ALPHA",
} as const;

const rejected = {
  name: "apiserver_audit_requests_rejected_total",
  help: "Requests that were refused because they could not be audited.",
  stability: "ALPHA",
} as const;
