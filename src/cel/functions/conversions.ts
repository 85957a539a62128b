import type { CelValue } from "../values/cel-value.ts";
import { type ConversionTarget, convertValue } from "../values/convert-value.ts";
import type { Implementation, Implementations } from "./implementation.ts";

const to = (target: ConversionTarget): Implementation => ({
  one: (value: CelValue) => convertValue(value, target),
});

function each(target: ConversionTarget, overloads: string): Record<string, Implementation> {
  return Object.fromEntries(overloads.split(" ").map((overload) => [overload, to(target)]));
}

/** What converts values from one type to another. */
export const conversionFunctions: Implementations = {
  ...each("bool", "bool_to_bool string_to_bool"),
  ...each("bytes", "bytes_to_bytes string_to_bytes"),
  ...each("double", "double_to_double int64_to_double string_to_double uint64_to_double"),
  ...each("duration", "duration_to_duration int64_to_duration string_to_duration"),
  ...each("int", "int64_to_int64 double_to_int64 duration_to_int64 string_to_int64"),
  ...each("int", "timestamp_to_int64 uint64_to_int64"),
  ...each("string", "string_to_string bool_to_string bytes_to_string double_to_string"),
  ...each("string", "duration_to_string int64_to_string timestamp_to_string uint64_to_string"),
  ...each("timestamp", "timestamp_to_timestamp int64_to_timestamp string_to_timestamp"),
  ...each("uint", "uint64_to_uint64 double_to_uint64 int64_to_uint64 string_to_uint64"),
};
