/** Why a registry did not do what it was asked for. */
export type RegistryFault = "NotFound" | "Denied" | "Unreachable" | "Unexpected";

/** An error of a registry or of the way to it; the messages are containerd's. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly fault: RegistryFault;
  /** What the registry said: `manifest unknown: manifest unknown`. */
  readonly serverMessage: string;

  constructor(fault: RegistryFault, message: string, options: RegistryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = fault;
    this.serverMessage = options.serverMessage ?? "";
  }

  /** The same error with words before its message. */
  within(context: string): RegistryError {
    return new RegistryError(this.fault, `${context}: ${this.message}`, {
      serverMessage: this.serverMessage,
      cause: this.cause,
    });
  }
}

export interface RegistryErrorOptions {
  readonly serverMessage?: string | undefined;
  readonly cause?: unknown;
}

/** What a registry's JSON says about an error: `unauthorized: authentication required`. */
export function serverMessage(body: Uint8Array): string {
  try {
    const { errors } = JSON.parse(Buffer.from(body).toString("utf8")) as { errors?: unknown };
    if (!Array.isArray(errors)) return "";
    return errors
      .map((error: unknown) => {
        const { code = "", message = "" } = error as Record<string, unknown>;
        return `${String(code).toLowerCase().replaceAll("_", " ")}: ${String(message)}`;
      })
      .join(", ")
      .slice(0, 1000);
  } catch {
    return "";
  }
}
