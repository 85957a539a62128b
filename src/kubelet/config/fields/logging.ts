import {
  bool,
  int32,
  int64,
  list,
  quantity,
  string,
  value,
} from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import { dropZeroPeriods, period } from "./field-kinds.ts";

const logsPrefix = "io.k8s.component-base.logs.api.v1";

const outputFields = () => ({
  splitStream: bool(1).doc("Whether errors go to stderr and other messages to stdout."),
  infoBufferSize: quantity(2)
    .default("0")
    .doc("The size of the buffer of messages that are no errors; 0 for none."),
});
const TextOptions = struct(`${logsPrefix}.TextOptions`, outputFields()).doc(
  "Options of the format text.",
);
const JsonOptions = struct(`${logsPrefix}.JSONOptions`, outputFields()).doc(
  "Options of the format json.",
);
const FormatOptions = struct(`${logsPrefix}.FormatOptions`, {
  text: value(1, TextOptions).doc("Options of the format text."),
  json: value(2, JsonOptions).doc("Options of the format json."),
}).doc("Options of the formats.");

const VModuleItem = struct(`${logsPrefix}.VModuleItem`, {
  filePattern: string(1).always().expected().doc("A source file, or a pattern of several."),
  verbosity: int64(2).always().expected().doc("The log level of these files."),
}).doc("The log level of source files.");

const loggingFields = {
  format: string(1).default("text").doc("The format of log messages: text or json."),
  flushFrequency: period(2)
    .default("5s")
    .doc("How often the log is flushed at least; Wherry flushes at once."),
  verbosity: int64(3).always().doc("The log level; 4 and more includes debug messages."),
  vmodule: list(4, VModuleItem).doc("The log levels of source files, as PATTERN=N."),
  options: value(5, FormatOptions).doc("Options of the formats."),
};

/** How a component writes its log. */
export const LoggingConfiguration = struct(`${logsPrefix}.LoggingConfiguration`, loggingFields)
  .defaults((draft) => dropZeroPeriods(loggingFields, draft))
  .doc("How the log is written.");

/** Where a component sends its traces. */
export const TracingConfiguration = struct(
  "io.k8s.component-base.tracing.api.v1.TracingConfiguration",
  {
    endpoint: string(1).pointer().doc("The address of the collector."),
    samplingRatePerMillion: int32(2).pointer().doc("How many spans of a million are sent."),
  },
).doc("Where traces are sent.");
