import type { Metrics } from "../../base/metrics.ts";

/** What became of a check: allowed although it failed, or reported in one of the ways of a binding. */
export type EnforcementAction = "allow" | "deny" | "audit" | "warn";

/** A check by a policy that ended otherwise than well. */
export interface ObservedCheck {
  readonly policy: string;
  readonly binding: string;
  readonly action: EnforcementAction;
  readonly message: string;
  readonly seconds: number;
}

/** The metrics of validating policies; what passes is not counted. */
export class ValidatingPolicyMetrics {
  readonly #checks: ReturnType<Metrics["counter"]>;
  readonly #durations: ReturnType<Metrics["histogram"]>;

  constructor(metrics: Metrics) {
    this.#checks = metrics.counter(validatingChecks);
    this.#durations = metrics.histogram(validatingDurations);
  }

  observe({ policy, binding, action, message, seconds }: ObservedCheck): void {
    const labels = [policy, binding, errorType(message), action];
    this.#checks.of(...labels).add(1);
    this.#durations.of(...labels).observe(seconds);
  }
}

/** A mutation by a policy, with the error if it failed. */
export interface ObservedMutation {
  readonly policy: string;
  readonly binding: string;
  readonly message?: string;
  readonly seconds: number;
}

/** The metrics of mutating policies. */
export class MutatingPolicyMetrics {
  readonly #checks: ReturnType<Metrics["counter"]>;
  readonly #durations: ReturnType<Metrics["histogram"]>;

  constructor(metrics: Metrics) {
    this.#checks = metrics.counter(mutatingChecks);
    this.#durations = metrics.histogram(mutatingDurations);
  }

  observe({ policy, binding, message, seconds }: ObservedMutation): void {
    const labels = [policy, binding, message === undefined ? "no_error" : errorType(message)];
    this.#checks.of(...labels).add(1);
    this.#durations.of(...labels).observe(seconds);
  }
}

/** The type of an error by its message; upstream takes what a policy says for an error, too. */
function errorType(message: string): string {
  if (message.startsWith("compilation")) return "compile_error";
  return message.startsWith("validation failed due to running out of cost budget")
    ? "out_of_budget"
    : "invalid_error";
}

const buckets = [0.0000005, 0.001, 0.01, 0.1, 1] as const;

const validatingChecks = {
  name: "apiserver_validating_admission_policy_check_total",
  help: "Checks of validating policies that failed, by policy, binding and what became of the request.",
  stability: "BETA",
  labels: ["policy", "policy_binding", "error_type", "enforcement_action"],
} as const;

const validatingDurations = {
  name: "apiserver_validating_admission_policy_check_duration_seconds",
  help: "Seconds that such checks took, by policy, binding and what became of the request.",
  stability: "BETA",
  labels: ["policy", "policy_binding", "error_type", "enforcement_action"],
  buckets,
} as const;

const mutatingChecks = {
  name: "apiserver_mutating_admission_policy_check_total",
  help: "Mutations by policies, by policy, binding and the type of the error.",
  stability: "ALPHA",
  labels: ["policy", "policy_binding", "error_type"],
} as const;

const mutatingDurations = {
  name: "apiserver_mutating_admission_policy_check_duration_seconds",
  help: "Seconds that a mutation by a policy took, by policy, binding and the type of the error.",
  stability: "ALPHA",
  labels: ["policy", "policy_binding", "error_type"],
  buckets,
} as const;
