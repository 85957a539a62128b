import {
  boolFlag,
  durationFlag,
  type Flag,
  intFlag,
  stringFlag,
  type Values,
  valueFlag,
} from "../../cli/flag.ts";
import { canonicalQuantity } from "../../schema/values/quantity.ts";
import { quote } from "../../schema/values/quote.ts";
import type { FileLevel } from "../opening/file-levels.ts";
import { section } from "./server-flag.ts";

/** A flag of a feature that is off: values other than the default are a problem, in upstream's words. */
const alpha = <T>(flag: Flag<T>): Flag<T> => ({
  ...flag,
  usage: `${flag.usage} (needs the feature LoggingAlphaOptions, which is off)`,
});

const splitUsage = "whether errors are split from other messages";
const bufferUsage = "the size of the log buffer";

/** A quantity, such as 1Mi. */
const quantityFlag = (usage: string): Flag<string> =>
  valueFlag({
    ...{ usage, type: "quantity", default: "0" },
    read: (text) => canonicalQuantity(text),
    show: String,
  });

const fileLevelsFlag: Flag<readonly FileLevel[]> = {
  ...valueFlag<readonly FileLevel[]>({
    ...{ type: "pattern=N,...", default: [] },
    usage:
      "log levels of source files, such as leader-election=4 or lea*=4: 4 and more includes their debug messages. A pattern with a slash is a path below src",
    read: (text, before = []) => [...before, ...readFileLevels(text)],
    show: () => "",
  }),
  format: (levels) =>
    levels.map(({ filePattern, verbosity }) => `${filePattern}=${verbosity}`).join(","),
};

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
  "log-text-split-stream": alpha(boolFlag({ usage: splitUsage })),
  "log-json-split-stream": alpha(boolFlag({ usage: splitUsage })),
  "log-text-info-buffer-size": alpha(quantityFlag(bufferUsage)),
  "log-json-info-buffer-size": alpha(quantityFlag(bufferUsage)),
  vmodule: fileLevelsFlag,
});

export const tracesFlags = section("Traces flags", {
  "tracing-config-file": stringFlag({
    usage:
      "the `FILE` with a TracingConfiguration: spans of requests are exported to its endpoint, by OTLP over gRPC without TLS; the header traceparent of system:masters and system:monitoring is followed",
  }),
});

/** Levels as they are given: PATTERN=N,… */
function readFileLevels(text: string): FileLevel[] {
  return text
    .split(",")
    .filter((item) => item !== "")
    .map((item) => {
      const [filePattern = "", level = "", ...more] = item.split("=");
      if (filePattern === "" || level === "" || more.length > 0)
        throw new Error(`${quote(item)} does not have the pattern=N format`);
      if (!/^\d+$/.test(level))
        throw new Error(
          `parsing verbosity in ${quote(item)}: strconv.ParseUint: parsing ${quote(level)}: invalid syntax`,
        );
      return { filePattern, verbosity: Number(level) };
    });
}

/** The problems of the values, in upstream's words. */
export function loggingProblems(flags: Values<typeof logsFlags>): string[] {
  const format = flags["logging-format"];
  const problems: string[] = [];
  if (!["", "text", "json"].includes(format))
    problems.push(`format: Invalid value: ${quote(format)}: Unsupported log format`);
  for (const format of ["text", "json"] as const) {
    const at = `options.${format}`;
    if (flags[`log-${format}-split-stream`])
      problems.push(`${at}.splitStream: Forbidden: ${noAlphaOptions}`);
    if (flags[`log-${format}-info-buffer-size`] !== "0")
      problems.push(`${at}.infoBufferSize: Forbidden: ${noAlphaOptions}`);
  }
  if (format === "json" && flags.vmodule.length > 0)
    problems.push("vmodule: Forbidden: Only supported for text log format");
  if (flags.v < 0) problems.push("-v can not be negative value");
  return problems;
}

const noAlphaOptions = "Feature LoggingAlphaOptions is disabled";
