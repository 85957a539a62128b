import { formatDuration } from "../../schema/values/duration.ts";
import { calendarOf, pad } from "./calendar.ts";
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "./cel-value.ts";
import { showDouble } from "./double.ts";

/** Shows a value as Go prints it in a message. */
export function showValue(value: CelValue): string {
  switch (typeof value) {
    case "string":
      return value;
    case "bigint":
    case "boolean":
      return `${value}`;
    case "number":
      return showDouble(value);
  }
  if (value === null) return "0";
  if (value instanceof Uint8Array) return `[${value.join(" ")}]`;
  if (value instanceof CelUint) return `${value.value}`;
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelDuration) return formatDuration(value.nanos);
  if (value instanceof CelTimestamp) return showTime(value);
  if (value instanceof CelError) return value.message;
  if (value instanceof CelOptional)
    return value.value === undefined ? "optional.none()" : `optional(${showValue(value.value)})`;
  if (value instanceof CelList) {
    const shown = Array.from({ length: value.size }, (_, i) => showValue(value.at(i)));
    return `[${shown.join(", ")}]`;
  }
  if (value instanceof CelMap) {
    const shown = value
      .keys()
      .map((key) => `${showValue(key)}: ${showValue(value.find(key) ?? null)}`);
    return `{${shown.join(", ")}}`;
  }
  if (value instanceof CelOpaque) return value.toString();
  return value instanceof CelObject ? value.typeName : "";
}

function showTime(time: CelTimestamp): string {
  const { year, month, day, hour, minute, second } = calendarOf(time);
  const fraction = time.nanos === 0 ? "" : `.${pad(time.nanos, 9).replace(/0+$/, "")}`;
  const sign = time.offset < 0 ? "-" : "+";
  const east = Math.abs(time.offset);
  const zone = `${sign}${pad(Math.floor(east / 60), 2)}${pad(east % 60, 2)}`;
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const clock = `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}`;
  return `${date} ${clock} ${zone} ${time.offset === 0 ? "UTC" : zone}`;
}
