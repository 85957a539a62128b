import type { Counter, Family, Histogram, Metrics } from "../../base/metrics.ts";

/** A call of an admission webhook; `type` is `admit` or `validating`. */
interface WebhookCall {
  readonly name: string;
  readonly type: string;
  readonly operation: string;
}

/** The metrics of admission webhooks. */
export class WebhookMetrics {
  readonly #requests: Family<Counter>;
  readonly #durations: Family<Histogram>;
  readonly #rejections: Family<Counter>;
  readonly #failOpen: Family<Counter>;

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(requests);
    this.#durations = metrics.histogram(durations);
    this.#rejections = metrics.counter(rejections);
    this.#failOpen = metrics.counter(failOpen);
  }

  called(
    { name, type, operation }: WebhookCall,
    { code, rejected, seconds }: { code: number; rejected: boolean; seconds: number },
  ): void {
    this.#requests.of(name, type, operation, bounded(code), String(rejected)).add(1);
    this.#durations.of(name, type, operation, String(rejected)).observe(seconds);
  }

  rejected(
    { name, type, operation }: WebhookCall,
    error: "no_error" | "calling_webhook_error" | "apiserver_internal_error",
    code: number,
  ): void {
    this.#rejections.of(name, type, operation, error, bounded(code)).add(1);
  }

  failedOpen({ name, type }: WebhookCall): void {
    this.#failOpen.of(name, type).add(1);
  }
}

/** Webhooks choose the code, so that there must be few of them. */
const bounded = (code: number): string => String(Math.min(code, 600));

const durations = {
  name: "apiserver_admission_webhook_admission_duration_seconds",
  help: "Seconds that calls of an admission webhook took, by webhook, operation and type.",
  stability: "STABLE",
  labels: ["name", "type", "operation", "rejected"],
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
} as const;

const requests = {
  name: "apiserver_admission_webhook_request_total",
  help: "Calls of an admission webhook, by its status code and whether the request was rejected.",
  stability: "ALPHA",
  labels: ["name", "type", "operation", "code", "rejected"],
} as const;

const rejections = {
  name: "apiserver_admission_webhook_rejection_count",
  help: "Requests that were rejected because of an admission webhook, by kind of error and code.",
  stability: "ALPHA",
  labels: ["name", "type", "operation", "error_type", "rejection_code"],
} as const;

const failOpen = {
  name: "apiserver_admission_webhook_fail_open_count",
  help: "Failures of an admission webhook that were ignored.",
  stability: "ALPHA",
  labels: ["name", "type"],
} as const;
