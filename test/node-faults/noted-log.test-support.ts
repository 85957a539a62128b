import { errorMessage } from "../../src/base/error-message.ts";
import type { Fields, Log } from "../../src/base/log.ts";

/** A log that keeps its lines: `warn: MESSAGE: ERROR`. */
export interface NotedLog extends Log {
  readonly lines: readonly string[];
}

/** Creates a log that keeps what the agent of a node says. */
export function notedLog(lines: string[] = [], more: Fields = {}): NotedLog {
  const note =
    (level: string) =>
    (message: string, fields: Fields = {}): void => {
      const { error, ...rest } = { ...more, ...fields };
      const why = error === undefined ? "" : `: ${causes(error)}`;
      lines.push(`${level}: ${message}${why} ${JSON.stringify(rest)}`);
    };
  return {
    ...{ lines, debug: note("debug"), info: note("info"), warn: note("warn") },
    error: (message, error, fields) => note("error")(message, { ...fields, error }),
    with: (fields) => notedLog(lines, { ...more, ...fields }),
  };
}

/** The messages of an error and of its causes. */
function causes(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? causes(error.cause) : "";
  return cause === "" ? errorMessage(error) : `${errorMessage(error)}: ${cause}`;
}
