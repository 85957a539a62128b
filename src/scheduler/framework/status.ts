/**
 * What a plugin says of a pod. Nothing, `undefined`, is consent: so the many nodes that suit a pod cost
 * no memory. `Unschedulable` may change when other pods go, `UnschedulableAndUnresolvable` does not;
 * `Pending` waits for something that the plugin will be told of, and is then tried without backoff.
 */
export interface Status {
  readonly code: StatusCode;
  readonly reasons: readonly string[];
  /** Who said it; filled in where the plugin leaves it out. */
  readonly plugin?: string | undefined;
  /** What went wrong, where the code is `Error`. */
  readonly error?: unknown;
}

export type StatusCode =
  | "Error"
  | "Unschedulable"
  | "UnschedulableAndUnresolvable"
  | "Wait"
  | "Skip"
  | "Pending";

/** A status for good: made once where plugins are made, and returned for as many nodes as it fits. */
export const status = (code: StatusCode, ...reasons: readonly string[]): Status => ({
  code,
  reasons,
});

/** That a plugin has nothing to do for a pod. */
export const skip: Status = { code: "Skip", reasons: [] };

/** A fault as a status. */
export const errorStatus = (error: unknown, plugin?: string): Status => ({
  code: "Error",
  reasons: [error instanceof Error ? error.message : String(error)],
  error,
  plugin,
});

/** Whether a pod is turned away, for now or for good; a fault does not count as that. */
export const isRejected = (one: Status): boolean =>
  one.code === "Unschedulable" ||
  one.code === "UnschedulableAndUnresolvable" ||
  one.code === "Pending";

/** All reasons in a line. */
export const statusMessage = (one: Status | undefined): string => one?.reasons.join(", ") ?? "";

/** What metrics call the outcome. */
export const codeOf = (one: Status | undefined): StatusCode | "Success" => one?.code ?? "Success";

/** The same status, said by a plugin. */
export const saidBy = (plugin: string, one: Status): Status =>
  one.plugin === plugin ? one : { ...one, plugin };
