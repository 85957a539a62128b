import type { Condition, Members } from "../values.ts";

/** One step; which member it has says what it does. */
export interface KubeletStep {
  readonly create?: Members & { readonly kind: string };
  readonly record?: boolean;
  readonly patch?: {
    readonly kind?: string;
    readonly name: string;
    readonly sub?: string;
    readonly type?: "merge" | "strategic" | "json";
    readonly body: unknown;
  };
  readonly delete?: { readonly kind?: string; readonly name: string; readonly grace?: number };
  readonly sleep?: number;
  readonly logs?: {
    readonly pod: string;
    readonly container?: string;
    readonly previous?: boolean;
    readonly until?: string;
  };
  readonly exec?: ExecCommand & {
    readonly until?: string;
    readonly timeout?: number;
    /** The answer is not compared. */
    readonly quiet?: boolean;
  };
  readonly static?: { readonly metadata: { readonly name: string } };
  readonly unstatic?: string;
  readonly wait?: KubeletWait;
}
export interface ExecCommand {
  readonly pod: string;
  readonly container?: string;
  readonly command: readonly string[];
  readonly stdin?: string;
}
export interface KubeletWait extends Condition {
  readonly pod?: string;
  readonly where?: string;
  readonly gone?: boolean;
  readonly event?: string;
  readonly timeout?: number;
  /** Nothing that comes after this is recorded. */
  readonly freeze?: boolean;
}

/** Where the recorded kubelet itself differs between runs. */
export interface Comparison {
  readonly last?: boolean;
  readonly set?: boolean;
  readonly noEvents?: boolean;
}

/** One line of a file in `test/facts/kubelet`. */
export interface KubeletScenario {
  readonly name: string;
  readonly steps: readonly KubeletStep[];
  readonly settle?: number;
  readonly seconds?: number;
  readonly compare?: Comparison;
  readonly outcome: KubeletOutcome;
}

export interface ShownEvent {
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly message: string;
}
export interface ShownPod {
  readonly statuses: readonly ShownStatus[];
  readonly gone?: boolean;
}
export type ContainerLists =
  | "initContainerStatuses"
  | "containerStatuses"
  | "ephemeralContainerStatuses";
export interface ShownStatus extends Partial<Record<ContainerLists, readonly ShownContainer[]>> {
  readonly conditions: readonly { readonly type: string }[];
}
export interface ShownContainer {
  readonly state?: ShownState | undefined;
  readonly lastState?: ShownState | undefined;
}
export interface ShownState {
  readonly running?: object;
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly signal?: number | undefined;
    readonly reason?: string | undefined;
    readonly message?: string | undefined;
  };
}
/** What came of a log request, a command or a recorded request. */
export interface ShownAnswer {
  readonly step: number;
  readonly status?: number;
  readonly message?: string;
  readonly [name: string]: unknown;
}
export interface KubeletOutcome {
  readonly answers: readonly ShownAnswer[];
  readonly pods: Readonly<Record<string, ShownPod>>;
  readonly events?: readonly ShownEvent[];
}
