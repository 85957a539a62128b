import type { Counter, Family, Metrics } from "../../base/metrics.ts";

/** The metrics of auditing, which are shown from the start on. */
export class AuditMetrics {
  readonly #events: Counter;
  readonly #rejected: Counter;
  readonly #levels: Family<Counter>;

  constructor(metrics: Metrics) {
    this.#events = metrics.counter(events).of();
    this.#rejected = metrics.counter(rejected).of();
    this.#levels = metrics.counter(levels);
  }

  /** Counts an event. */
  sent(): void {
    this.#events.add(1);
  }

  /** Counts a request that was rejected because it could not be audited. */
  rejected(): void {
    this.#rejected.add(1);
  }

  /** Counts a request by the level at which the policy has it audited. */
  chose(level: string): void {
    this.#levels.of(level).add(1);
  }
}

const events = {
  name: "apiserver_audit_event_total",
  help: "Events that were sent to the audit log.",
  stability: "ALPHA",
} as const;

const rejected = {
  name: "apiserver_audit_requests_rejected_total",
  help: "Requests that were rejected because they could not be audited.",
  stability: "ALPHA",
} as const;

const levels = {
  name: "apiserver_audit_level_total",
  help: "Requests by the level at which the audit policy has them audited.",
  stability: "ALPHA",
  labels: ["level"],
} as const;
