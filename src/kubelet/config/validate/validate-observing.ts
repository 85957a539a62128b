import { At } from "../../../schema/language/report.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { isZeroQuantity, parseQuantity } from "../../../schema/values/quantity.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { KubeletConfiguration } from "../kubelet-configuration.ts";
import type { Validation } from "./validation.ts";

/** Metrics, logging and tracing. */
export function validateObserving({ config, features, report }: Validation): void {
  const { showHiddenMetricsForVersion: shown = "" } = config;
  if (shown !== "" && shown !== previousVersion)
    report(
      `invalid showHiddenMetricsForVersion: showHiddenMetricsForVersion: Invalid value: ${quote(shown)}: must be omitted or have the value '${previousVersion}'; only the previous minor version is allowed`,
    );
  const at = At.root();
  validateLogging(config.logging, features, at.child("logging"));
  validateTracing(config.tracing, at.child("tracing"));
  for (const { field, message } of at.errors) report(`${field}: ${message}`);
}

const previousVersion = "1.35";
const mostVerbose = 2 ** 31 - 1;

function validateLogging(
  logging: KubeletConfiguration["logging"],
  features: Validation["features"],
  at: At,
): void {
  const { format, flushFrequency, verbosity, vmodule = [], options } = logging;
  if (parseDuration(flushFrequency) <= 0n)
    at.invalid("flushFrequency", flushFrequency, "Must be greater than zero");
  if (format !== "text" && format !== "json")
    at.invalid("format", format, "Unsupported log format");
  if (format === "json" && !features.has("LoggingBetaOptions"))
    at.forbidden("format", "Log format json is disabled, see LoggingBetaOptions feature");
  validateVerbosity(verbosity, at.child("verbosity"));
  if (vmodule.length > 0 && format !== "text")
    at.forbidden("vmodule", "Only supported for text log format");
  for (const [i, { filePattern, verbosity: level }] of vmodule.entries()) {
    const here = at.child("vmodule").index(i);
    if (filePattern === "") here.required("", "File pattern must not be empty");
    if (/[=,]/.test(filePattern))
      here.invalid("", filePattern, "File pattern must not contain equal sign or comma");
    validateVerbosity(level, here);
  }
  if (features.has("LoggingAlphaOptions")) return;
  for (const name of ["text", "json"] as const) {
    const here = at.child("options").child(name);
    const { splitStream, infoBufferSize } = options[name];
    if (splitStream) here.forbidden("splitStream", "Feature LoggingAlphaOptions is disabled");
    if (!isZeroQuantity(parseQuantity(infoBufferSize)))
      here.forbidden("infoBufferSize", "Feature LoggingAlphaOptions is disabled");
  }
}

/** Upstream cannot decode a negative level. */
function validateVerbosity(verbosity: number, at: At): void {
  if (verbosity > mostVerbose) at.invalid("", verbosity, `Must be <= ${mostVerbose}`);
  if (verbosity < 0) at.invalid("", verbosity, "Must be >= 0");
}

/** A configuration of traces. */
export function validateTracing(
  tracing:
    | {
        readonly samplingRatePerMillion?: number | undefined;
        readonly endpoint?: string | undefined;
      }
    | undefined,
  at: At,
): void {
  const { samplingRatePerMillion: rate = 0, endpoint } = tracing ?? {};
  if (rate < 0) at.invalid("samplingRatePerMillion", rate, "sampling rate must be positive");
  if (rate > 1_000_000)
    at.invalid(
      "samplingRatePerMillion",
      rate,
      "sampling rate per million must be less than or equal to one million",
    );
  if (endpoint === undefined) return;
  const address = endpoint.includes("//") ? endpoint : `dns://${endpoint}`;
  const url = parseGoUrl(address);
  if (typeof url === "string") at.invalid("endpoint", address, url);
  else if (!["dns", "unix", "unix-abstract"].includes(url.scheme))
    at.invalid(
      "endpoint",
      address,
      `unsupported scheme: ${url.scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`,
    );
}
