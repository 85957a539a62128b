import { boolFlag, durationFlag, intFlag, stringFlag, type Values } from "../../cli/flag.ts";
import { quote } from "../../schema/values/quote.ts";
import { later, only, section } from "./server-flag.ts";

const noBuffer = { because: "the log is one stream, and not buffered" };

export const logsFlags = section("Logs flags", {
  v: intFlag({
    short: "v",
    usage: "the log level; 4 and more includes debug messages",
  }),
  "logging-format": stringFlag({
    usage: "text or json (default: text on a terminal, json elsewhere)",
  }),
  "log-flush-frequency": durationFlag({
    usage: "how often the log is flushed; Wherry flushes at once",
    default: 5000,
  }),
  "log-text-split-stream": only(
    [false],
    noBuffer,
    boolFlag({ usage: "whether to split errors from other messages" }),
  ),
  "log-json-split-stream": only(
    [false],
    noBuffer,
    boolFlag({ usage: "whether to split errors from other messages" }),
  ),
  "log-text-info-buffer-size": only(
    ["0"],
    noBuffer,
    stringFlag({ usage: "the size of the log buffer", default: "0" }),
  ),
  "log-json-info-buffer-size": only(
    ["0"],
    noBuffer,
    stringFlag({ usage: "the size of the log buffer", default: "0" }),
  ),
  vmodule: later(
    "log levels per source file",
    stringFlag({ usage: "log levels of source files, as pattern=N" }),
  ),
});

export const tracesFlags = section("Traces flags", {
  "tracing-config-file": later(
    "tracing",
    stringFlag({ usage: "the `FILE` with a TracingConfiguration" }),
  ),
});

/** The problems of the values, in upstream's words. */
export function loggingProblems(flags: Values<typeof logsFlags>): string[] {
  const format = flags["logging-format"];
  const problems: string[] = [];
  if (!["", "text", "json"].includes(format))
    problems.push(`format: Invalid value: ${quote(format)}: Unsupported log format`);
  if (flags.v < 0) problems.push("-v can not be negative value");
  return problems;
}
