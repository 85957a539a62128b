import type { Metrics } from "../../base/metrics.ts";
import type { Operation } from "../admission/admission.ts";

/** What has match conditions. */
export interface ConditionsOwner {
  readonly name: string;
  readonly kind: "policy" | "webhook";
  readonly type: "admit" | "validate" | "validating";
}

/** The metrics of match conditions. Conditions that all hold are not timed. */
export class MatchConditionMetrics {
  readonly #errors: ReturnType<Metrics["counter"]>;
  readonly #exclusions: ReturnType<Metrics["counter"]>;
  readonly #durations: ReturnType<Metrics["histogram"]>;

  constructor(metrics: Metrics) {
    this.#errors = metrics.counter(errors);
    this.#exclusions = metrics.counter(exclusions);
    this.#durations = metrics.histogram(durations);
  }

  failed({ name, kind, type }: ConditionsOwner, operation: Operation): void {
    this.#errors.of(name, kind, type, operation).add(1);
  }

  /** Upstream counts the requests that conditions keep from webhooks only. */
  excluded({ name, kind, type }: ConditionsOwner, operation: Operation): void {
    if (kind !== "webhook") return;
    const phase = type === "admit" ? type : "validate";
    this.#exclusions.of(name, kind, phase, operation).add(1);
  }

  took({ name, kind, type }: ConditionsOwner, operation: Operation, seconds: number): void {
    this.#durations.of(name, kind, type, operation).observe(seconds);
  }
}

const labels = ["name", "kind", "type", "operation"] as const;

const errors = {
  name: "apiserver_admission_match_condition_evaluation_errors_total",
  help: "Match conditions that could not be evaluated, by what has them, phase and operation.",
  stability: "ALPHA",
  labels,
} as const;

const exclusions = {
  name: "apiserver_admission_match_condition_exclusions_total",
  help: "Requests that match conditions excluded, by what has them, phase and operation.",
  stability: "ALPHA",
  labels,
} as const;

const durations = {
  name: "apiserver_admission_match_condition_evaluation_seconds",
  help: "Seconds that match conditions took, by what has them, phase and operation.",
  stability: "ALPHA",
  labels,
  buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
} as const;
