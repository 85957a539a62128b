import type { Condition, Members } from "../values.ts";

/** A node of a scenario; its name begins with the scenario's namespace. */
export interface ScenarioNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly capacity?: Readonly<Record<string, string>>;
  readonly unschedulable?: boolean;
  readonly ready?: boolean;
  /** Whether its lease is renewed and its pods are run. */
  readonly heartbeat?: boolean;
}

/** What to wait for: the answer to a request, or a part of it. */
export interface Wait extends Condition {
  readonly path: string;
  readonly where?: string;
  readonly status?: number;
  readonly timeout?: number;
}

/** One step; which members it has says what it does. */
export interface ScenarioStep {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly until?: number;
  readonly record?: boolean;
  readonly wait?: "quiet" | Wait;
  readonly timeout?: number;
  readonly sleep?: number;
  readonly node?: string;
  readonly ready?: boolean;
  readonly heartbeat?: boolean;
  readonly conditions?: readonly NodeCondition[];
  readonly add?: Omit<ScenarioNode, "name">;
  readonly snapshot?: string;
  readonly of?: readonly string[];
}
export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** One line of a file in `test/facts/scenarios`. */
export interface Scenario {
  readonly name: string;
  readonly nodes?: number | readonly ScenarioNode[];
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  /** Runs alone, so that messages that count all nodes can be compared. */
  readonly serial?: boolean;
  /** Compares on which node a pod is. */
  readonly placement?: boolean;
  readonly nodeEvents?: boolean;
  readonly ignoreEvents?: readonly string[];
  /** False where events are not compared at all. */
  readonly events?: boolean;
  readonly slow?: boolean;
  readonly steps: readonly ScenarioStep[];
  readonly observe?: readonly string[];
  readonly outcome: Outcome;
}
export interface RecordedStep {
  readonly step: number;
  readonly status: number;
  readonly retryAfter?: string;
  readonly body: unknown;
}
export interface Outcome {
  readonly answers?: readonly RecordedStep[];
  readonly snapshots?: Members;
  readonly objects: Members;
  readonly events?: readonly unknown[];
}
