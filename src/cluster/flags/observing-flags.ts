import {
  boolFlag,
  durationFlag,
  intFlag,
  pairsFlag,
  stringFlag,
  stringsFlag,
  type Values,
} from "../../cli/flag.ts";
import { quote } from "../../schema/values/quote.ts";
import { later, only, section } from "./server-flag.ts";

const metrics = "choosing which metrics are shown";

export const metricsFlags = section("Metrics flags", {
  "show-hidden-metrics-for-version": later(
    "showing metrics that were hidden",
    stringFlag({ usage: "the version whose hidden metrics are shown again" }),
  ),
  "disabled-metrics": later(metrics, stringsFlag({ usage: "metrics that are not shown" })),
  "allow-metric-labels": later(
    metrics,
    pairsFlag({ usage: "values of labels that are shown, as metric,label=value" }),
  ),
  "allow-metric-labels-manifest": later(metrics, stringFlag({ usage: "the `FILE` of the same" })),
});

const noBuffer = { because: "the log is one stream, and not buffered" };

export const logsFlags = section("Logs flags", {
  v: intFlag({
    short: "v",
    usage: "how much is logged; 4 and more adds messages for debugging",
  }),
  "logging-format": stringFlag({
    usage: "text for people, json for programs (default: text on a terminal, json elsewhere)",
  }),
  "log-flush-frequency": durationFlag({
    usage: "how often the log is written out; here at once",
    default: 5000,
  }),
  "log-text-split-stream": only(
    [false],
    noBuffer,
    boolFlag({ usage: "whether errors go elsewhere" }),
  ),
  "log-json-split-stream": only(
    [false],
    noBuffer,
    boolFlag({ usage: "whether errors go elsewhere" }),
  ),
  "log-text-info-buffer-size": only(
    ["0"],
    noBuffer,
    stringFlag({ usage: "how much of the log may wait", default: "0" }),
  ),
  "log-json-info-buffer-size": only(
    ["0"],
    noBuffer,
    stringFlag({ usage: "how much of the log may wait", default: "0" }),
  ),
  vmodule: later(
    "logging by file",
    stringFlag({ usage: "how much is logged by some files, as pattern=N" }),
  ),
});

export const tracesFlags = section("Traces flags", {
  "tracing-config-file": later(
    "tracing",
    stringFlag({ usage: "the `FILE` that says what is traced" }),
  ),
});

const noProfiling = { because: "there is nothing at /debug/pprof" };

export const featuresFlags = section("Features flags", {
  profiling: only([false], noProfiling, boolFlag({ usage: "whether /debug/pprof is served" })),
  "contention-profiling": only(
    [false],
    noProfiling,
    boolFlag({ usage: "whether waiting is profiled, too" }),
  ),
  "debug-socket-path": later(
    "profiling",
    stringFlag({ usage: "the `FILE` of a socket for profiling that asks for no credential" }),
  ),
  "enable-priority-and-fairness": only(
    [false],
    {
      because:
        "priority and fairness are not part of this version; requests are limited by number, see --max-requests-inflight",
    },
    boolFlag({ usage: "whether requests queue by priority, and fairly among users" }),
  ),
});

/** What is wrong with the values, in upstream's words. */
export function loggingProblems(flags: Values<typeof logsFlags>): string[] {
  const format = flags["logging-format"];
  const problems: string[] = [];
  if (!["", "text", "json"].includes(format))
    problems.push(`format: Invalid value: ${quote(format)}: Unsupported log format`);
  if (flags.v < 0) problems.push("-v can not be negative value");
  return problems;
}
