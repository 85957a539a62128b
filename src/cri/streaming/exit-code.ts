/** The exit code in the status that ends a command; throws an error with the message of a failure. */
export function exitCodeOf(text: string): number {
  const { status, reason, details, message } = parse(text);
  if (status === "Success") return 0;
  if (status !== "Failure") throw new Error("error stream protocol error: unknown error");
  if (reason !== "NonZeroExitCode") throw new Error(message ?? "");
  if (!details) throw new Error("error stream protocol error: details must be set");
  const cause = details.causes?.find((one) => one.reason === "ExitCode");
  if (!cause) throw new Error("error stream protocol error: no ExitCode cause given");
  const code = Number(cause.message);
  if (!/^\d{1,3}$/.test(cause.message ?? "") || code > 255) {
    const given = JSON.stringify(cause.message ?? "");
    throw new Error(`error stream protocol error: invalid exit code value ${given}`);
  }
  return code;
}

interface Status {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

function parse(text: string): Status {
  try {
    return JSON.parse(text) as Status;
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    throw new Error(`error stream protocol error: ${why} in ${JSON.stringify(text)}`);
  }
}
