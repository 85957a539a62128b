import { StatusError } from "../../api/meta/v1/status-error.ts";
import { NoMatchError } from "../../client/discovery/mapping-errors.ts";
import { TransportError } from "../../client/transport.ts";
import { KubeconfigError } from "../../kubeconfig/kubeconfig-error.ts";
import { quote } from "../../schema/values/quote.ts";
import { RequestError } from "../factory/request-error.ts";

/** Ends the command with an exit code; a message is printed as it is. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly code: number;

  constructor(code: number, message = "") {
    super(message);
    this.code = code;
  }
}

/** A signal has ended the command. */
export class InterruptedError extends ExitError {
  readonly signal: keyof typeof signalNumbers;

  constructor(signal: keyof typeof signalNumbers) {
    super(128 + signalNumbers[signal]);
    this.signal = signal;
  }
}

/** Ends a command with the exit code 1 after a signal, as the original does where it handles signals itself. */
export function exitIfInterrupted({ aborted, reason }: AbortSignal): void {
  if (aborted && reason instanceof InterruptedError) throw new ExitError(1);
}

/** The signals that end commands, with their numbers. */
export const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 } as const;

/** Several errors, of which each gets a line. One error in a list gets no prefix if the list is in another. */
export class ErrorList extends Error {
  override readonly name = "ErrorList";
  readonly errors: readonly Error[];

  constructor(errors: readonly Error[]) {
    const messages = [...new Set(flattened(errors).map(({ message }) => message))];
    super(messages.length === 1 ? messages[0] : `[${messages.join(", ")}]`);
    this.errors = errors;
  }
}

/** Returns one error for all of these; undefined if there is none. */
export function joinedErrors(errors: readonly Error[]): Error | undefined {
  return errors.length > 1 ? new ErrorList(errors) : errors[0];
}

/** Adds what was done with which file to an error. */
export function withSource(verb: string, source: string, error: Error): Error {
  if (source === "") return error;
  if (error instanceof StatusError) {
    const { reason, details, code } = error;
    const message = `error when ${verb} ${quote(source)}: ${error.message}`;
    return new StatusError(reason, message, { details, code, cause: error });
  }
  return new Error(`error when ${verb} ${quote(source)}: ${error.message}`, { cause: error });
}

/** An error about the arguments of a command. */
export const usageError = (path: string, problem: string): Error =>
  new Error(`${problem}\nSee '${path} -h' for help and examples`);

/** What is printed for an error that ends a command, and the exit code. */
export function failureOf(thrown: unknown): { readonly text: string; readonly code: number } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const [only, ...others] = error instanceof ErrorList ? error.errors : [error];
  const shown = only && others.length === 0 ? only : error;
  const code = shown instanceof ExitError ? shown.code : 1;
  return { text: withNewline(shown instanceof ExitError ? shown.message : textOf(shown)), code };
}

function textOf(error: Error): string {
  if (StatusError.is(error, "Invalid")) return invalidText(error);
  if (error instanceof KubeconfigError && error.faults.length > 0) return configText(error.faults);
  // As in the original, lists within lists stay on one line.
  if (error instanceof ErrorList) return error.errors.map((one) => `${lineOf(one)}\n`).join("");
  const standard = standardText(error);
  if (standard !== undefined) return standard;
  if (error instanceof KubeconfigError && error.message.startsWith("unsupported protocol scheme"))
    return `Unable to connect to the server: ${error.message}`;
  // The mapper says it as kubectl does.
  if (error instanceof NoMatchError && error.message.startsWith("the server doesn't have"))
    return `error: ${error.message}`;
  return error.message.startsWith("error: ") ? error.message : `error: ${error.message}`;
}

/** The faults of a kubeconfig. A missing context hides all others; a single one is printed as any error. */
function configText(faults: readonly string[]): string {
  const missing = faults.find((fault) => fault.startsWith("context was not found for"));
  if (missing !== undefined) return `Error in configuration: ${missing}`;
  const [only = "", ...others] = faults;
  if (others.length === 0) return `error: ${only}`;
  return `Error in configuration: \n${faults.map((fault) => `* ${fault}`).join("\n")}`;
}

/** An error as one of several, or as part of a sentence. */
const lineOf = (error: Error): string => standardText(error) ?? error.message;

function flattened(errors: readonly Error[]): Error[] {
  return errors.flatMap((error) =>
    error instanceof ErrorList ? flattened(error.errors) : [error],
  );
}

/** The text of errors of the server and of the connection; undefined for all others. */
function standardText(error: Error): string | undefined {
  if (error instanceof StatusError) {
    const { reason } = error;
    if (reason === "Unauthorized")
      return `error: You must be logged in to the server (${error.message})`;
    return reason
      ? `Error from server (${reason}): ${error.message}`
      : `Error from server: ${error.message}`;
  }
  if (!(error instanceof TransportError)) return undefined;
  const reason = error instanceof RequestError ? error.reason : error.message;
  const [, address] = /^dial tcp (\S+): .*connection refused/.exec(reason) ?? [];
  const server = address !== undefined && error instanceof RequestError ? error.host : address;
  return server === undefined
    ? `Unable to connect to the server: ${reason}`
    : `The connection to the server ${server} was refused - did you specify the right host or port?`;
}

/** The causes of an invalid object, one a line. */
function invalidText(error: StatusError): string {
  const { details, message } = error;
  if (!details) return `The request is invalid${message ? `: ${message}` : ""}`;
  const { kind = "", name = "", causes = [] } = details;
  let text = "The request is invalid";
  if (kind !== "" || name !== "") text = `The ${kind} ${quote(name)} is invalid`;
  else if (message && causes.length === 0) text += `: ${message}`;
  const lines = [...new Set(causes.map(({ field = "", message = "" }) => `${field}: ${message}`))];
  if (lines.length === 0) return text;
  // Also where the cause itself ends its line.
  if (lines.length === 1) return `${text}: ${lines[0]}\n`;
  return `${text}: \n${lines.map((line) => `* ${line}\n`).join("")}`;
}

const withNewline = (text: string): string =>
  text === "" || text.endsWith("\n") ? text : `${text}\n`;
