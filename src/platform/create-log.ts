import type { Clock } from "../base/clock.ts";
import { errorMessage } from "../base/error-message.ts";
import type { Fields, Log } from "../base/log.ts";
import { redact, redactText } from "./redact.ts";

const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  readonly clock: Clock;
  /** Messages below this level are dropped; a function, if it may change. */
  readonly level: LogLevel | (() => LogLevel);
  /** Debug messages that are logged at every level. */
  readonly debugged?: ReadonlySet<string> | undefined;
  /** `text` for people, `json` (one object a line) for programs. */
  readonly format: "text" | "json";
  /** Takes one line, with its line feed. */
  readonly write: (line: string, level: LogLevel) => void;
}

/** A log that writes lines, with credentials redacted. */
export function createLog(options: LogOptions): Log {
  return logWith(options, {});
}

/** The log of a program: text on a terminal, JSON lines otherwise. */
export function streamLog(
  stream: NodeJS.WriteStream,
  options: Pick<LogOptions, "clock" | "level" | "debugged">,
): Log {
  const format = stream.isTTY ? "text" : "json";
  return createLog({ ...options, format, write: (line) => void stream.write(line) });
}

function logWith(options: LogOptions, always: Fields): Log {
  const { level: given } = options;
  const levelNow = typeof given === "function" ? given : () => given;
  const render = options.format === "text" ? textLine : jsonLine;
  const log = (level: LogLevel, message: string, fields: Fields): void => {
    const isDebugged = level === "debug" && options.debugged?.has(message);
    if (logLevels.indexOf(level) < logLevels.indexOf(levelNow()) && !isDebugged) return;
    const time = new Date(options.clock.now()).toISOString();
    const all = redact({ ...always, ...fields }) as Fields;
    options.write(render({ time, level, message: redactText(message), fields: all }), level);
  };
  return {
    debug: (message, fields = {}) => log("debug", message, fields),
    info: (message, fields = {}) => log("info", message, fields),
    warn: (message, fields = {}) => log("warn", message, fields),
    error(message, error, fields = {}) {
      const stack = levelNow() === "debug" && error instanceof Error ? { stack: error.stack } : {};
      log("error", message, { ...fields, error: errorMessage(error), ...stack });
    },
    with: (fields) => logWith(options, { ...always, ...fields }),
  };
}

interface Line {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Fields;
}

function textLine({ time, level, message, fields }: Line): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${textValue(value)}`);
  return `${time} ${level.toUpperCase().padEnd(5)} ${message}${pairs.join("")}\n`;
}

/** Quotes values that are not plain words, so that a field cannot forge a line or another field. */
function textValue(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+-]+$/.test(value)) return value;
  // JSON.stringify returns undefined for functions, despite its type.
  const json: string | undefined = JSON.stringify(value);
  return json ?? String(value);
}

function jsonLine({ time, level, message, fields }: Line): string {
  return `${JSON.stringify({ ...fields, time, level, message })}\n`;
}
