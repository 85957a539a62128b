import type { Log } from "../../base/log.ts";
import { createLog, type LogLevel, streamLog } from "../../platform/create-log.ts";
import { realClock } from "../../platform/real-clock.ts";
import { debuggedMessages, debugLevel, type FileLevel } from "./file-levels.ts";

/** The log level and format: `text`, `json`, or empty for text on a terminal and JSON elsewhere. */
export interface LogChoice {
  readonly level: LogLevel | (() => LogLevel);
  readonly format: string;
  /** The levels of single source files. */
  readonly fileLevels?: readonly FileLevel[];
  /** Writes lines elsewhere than to stderr; the format must be given then. */
  readonly write?: ((line: string, level: LogLevel) => void) | undefined;
}

/** The log of a server, on stderr. */
export function openLog(choice: LogChoice = { level: "info", format: "" }): Log {
  const { level, format, fileLevels = [] } = choice;
  const debugged = fileLevels.length > 0 ? debuggedMessages(fileLevels) : undefined;
  if (format !== "text" && format !== "json")
    return streamLog(process.stderr, { clock: realClock, level, debugged });
  const { write = (line: string) => void process.stderr.write(line) } = choice;
  return createLog({ clock: realClock, level, format, write, debugged });
}

/** The log options of the flags. */
export const logChoice = (flags: {
  readonly v: number;
  readonly "logging-format": string;
  readonly vmodule: readonly FileLevel[];
}): LogChoice => ({
  level: flags.v >= debugLevel ? "debug" : "info",
  format: flags["logging-format"],
  fileLevels: flags.vmodule,
});
