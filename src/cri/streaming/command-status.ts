import { errorMessage } from "../../base/error-message.ts";

/** The end of a command as a client gets it: a Status of Kubernetes. */
export interface CommandStatus {
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: "Success" | "Failure";
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?:
    | { readonly causes: readonly { readonly reason?: string; readonly message: string }[] }
    | undefined;
  readonly code?: number | undefined;
}

/** The status of a command that has ended with an exit code. */
export function exitStatus(code: number): CommandStatus {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

/** The status of a command that could not run, or of an attachment that failed. */
export function failureStatus(verb: CommandVerb, error: unknown): CommandStatus {
  const what = verb === "exec" ? "executing command in" : "attaching to";
  const why = `error ${what} container: ${errorMessage(error)}`;
  return {
    metadata: {},
    status: "Failure",
    message: `Internal error occurred: ${why}`,
    reason: "InternalError",
    details: { causes: [{ message: why }] },
    code: 500,
  };
}

export type CommandVerb = "exec" | "attach";
