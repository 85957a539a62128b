import type { Counter, Family, Histogram, Metrics } from "../../base/metrics.ts";

/** The metrics of single authorizers, and of the webhooks among them. */
export class AuthorizationMetrics {
  readonly #decisions: Family<Counter>;
  readonly #calls: Family<Counter>;
  readonly #durations: Family<Histogram>;
  readonly #failOpen: Family<Counter>;
  readonly #exclusions: Family<Counter>;
  readonly #conditionErrors: Family<Counter>;
  readonly #conditionSeconds: Family<Histogram>;

  constructor(metrics: Metrics) {
    this.#decisions = metrics.counter(decisions);
    this.#calls = metrics.counter(calls);
    this.#durations = metrics.histogram(durations);
    this.#failOpen = metrics.counter(failOpen);
    this.#exclusions = metrics.counter(exclusions);
    this.#conditionErrors = metrics.counter(conditionErrors);
    this.#conditionSeconds = metrics.histogram(conditionSeconds);
  }

  /** Counts the decisions of one authorizer. */
  decisionsOf(type: string, name: string): { readonly allow: Counter; readonly deny: Counter } {
    return {
      allow: this.#decisions.of(type, name, "allowed"),
      deny: this.#decisions.of(type, name, "denied"),
    };
  }

  /** Counts a call of a webhook. */
  asked(name: string, result: string, seconds: number): void {
    this.#calls.of(name, result).add(1);
    this.#durations.of(name, result).observe(seconds);
  }

  failedOpen(name: string, result: string): void {
    this.#failOpen.of(name, result).add(1);
  }

  excluded(name: string): void {
    this.#exclusions.of("Webhook", name).add(1);
  }

  conditionsFailed(name: string): void {
    this.#conditionErrors.of("Webhook", name).add(1);
  }

  conditionsTook(name: string, seconds: number): void {
    this.#conditionSeconds.of("Webhook", name).observe(seconds);
  }
}

const prefix = "apiserver_authorization_";
const common = { stability: "ALPHA" } as const;

const decisions = {
  ...common,
  name: `${prefix}decisions_total`,
  help: "Decisions of authorizers, by type, name and decision.",
  labels: ["type", "name", "decision"],
} as const;

const calls = {
  ...common,
  name: `${prefix}webhook_evaluations_total`,
  help: "Calls of authorization webhooks, by how they ended.",
  labels: ["name", "result"],
} as const;

const durations = {
  ...common,
  name: `${prefix}webhook_duration_seconds`,
  help: "Seconds that calls of authorization webhooks took, by how they ended.",
  labels: ["name", "result"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
} as const;

const failOpen = {
  ...common,
  name: `${prefix}webhook_evaluations_fail_open_total`,
  help: "Failures of authorization webhooks that were taken for no opinion.",
  labels: ["name", "result"],
} as const;

const exclusions = {
  ...common,
  name: `${prefix}match_condition_exclusions_total`,
  help: "Requests about which an authorizer was not asked because of its conditions.",
  labels: ["type", "name"],
} as const;

const conditionErrors = {
  ...common,
  name: `${prefix}match_condition_evaluation_errors_total`,
  help: "Requests for which the conditions of an authorizer could not be evaluated.",
  labels: ["type", "name"],
} as const;

const conditionSeconds = {
  ...common,
  name: `${prefix}match_condition_evaluation_seconds`,
  help: "Seconds that the conditions of an authorizer took.",
  labels: ["type", "name"],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
} as const;
