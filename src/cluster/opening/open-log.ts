import type { Log } from "../../base/log.ts";
import { createLog, type LogLevel, streamLog } from "../../platform/create-log.ts";
import { realClock } from "../../platform/real-clock.ts";

/** The log level and format: `text`, `json`, or empty for text on a terminal and JSON elsewhere. */
export interface LogChoice {
  readonly level: LogLevel;
  readonly format: string;
}

/** The log of a server, on stderr. */
export function openLog({ level, format }: LogChoice = { level: "info", format: "" }): Log {
  if (format !== "text" && format !== "json")
    return streamLog(process.stderr, { clock: realClock, level });
  const write = (line: string) => void process.stderr.write(line);
  return createLog({ clock: realClock, level, format, write });
}

/** The log options of the flags. */
export const logChoice = (flags: {
  readonly v: number;
  readonly "logging-format": string;
}): LogChoice => ({ level: flags.v >= 4 ? "debug" : "info", format: flags["logging-format"] });
