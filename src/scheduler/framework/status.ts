/**
 * The result of a plugin for a pod. Success is `undefined`, so that the many nodes that fit cost no
 * memory. `Unschedulable` may be resolved by preemption, `UnschedulableAndUnresolvable` not; `Pending`
 * waits for an event of the plugin, after which the pod is retried without backoff.
 */
export interface Status {
  readonly code: StatusCode;
  readonly reasons: readonly string[];
  /** The plugin that returned it; set by the framework if missing. */
  readonly plugin?: string | undefined;
  /** The cause, if the code is `Error`. */
  readonly error?: unknown;
}

export type StatusCode =
  | "Error"
  | "Unschedulable"
  | "UnschedulableAndUnresolvable"
  | "Wait"
  | "Skip"
  | "Pending";

/**
 * Creates a status. Create it once per plugin and return it for every node, because filters run often.
 */
export const status = (code: StatusCode, ...reasons: readonly string[]): Status => ({
  code,
  reasons,
});

/** The status of a plugin that has nothing to do for a pod. */
export const skip: Status = { code: "Skip", reasons: [] };

/** Converts an error to a status. */
export const errorStatus = (error: unknown, plugin?: string): Status => ({
  code: "Error",
  reasons: [error instanceof Error ? error.message : String(error)],
  error,
  plugin,
});

/** Whether a status rejects the pod; errors do not count. */
export const isRejected = (one: Status): boolean =>
  one.code === "Unschedulable" ||
  one.code === "UnschedulableAndUnresolvable" ||
  one.code === "Pending";

/** Joins all reasons. */
export const statusMessage = (one: Status | undefined): string => one?.reasons.join(", ") ?? "";

/** The code as a label in metrics. */
export const codeOf = (one: Status | undefined): StatusCode | "Success" => one?.code ?? "Success";

/** Returns the status with the name of its plugin. */
export const withPlugin = (plugin: string, one: Status): Status =>
  one.plugin === plugin ? one : { ...one, plugin };
