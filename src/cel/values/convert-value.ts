import { parseDuration } from "../../schema/values/duration.ts";
import { parseTime } from "../../schema/values/time.ts";
import { formatTimestamp } from "./calendar.ts";
import {
  CelDuration,
  CelError,
  CelOpaque,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  typeNameOf,
} from "./cel-value.ts";
import { plainDouble, readDouble, showDouble } from "./double.ts";

/** The types that a function of the same name converts to. */
export type ConversionTarget =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "int"
  | "string"
  | "timestamp"
  | "uint";

/** A value as one of another type; an error if there is none. */
export function convertValue(value: CelValue, to: ConversionTarget): CelValue {
  const converted = convert(value, to);
  return converted ?? notConverted(typeNameOf(value), to);
}

export const integerOverflow = new CelError("integer overflow");
export const unsignedOverflow = new CelError("unsigned integer overflow");
export const timestampOverflow = new CelError("timestamp overflow");

const notConverted = (from: string, to: ConversionTarget): CelError =>
  new CelError(`type conversion error from '${from}' to '${typeNames[to] ?? to}'`);

const typeNames: { readonly [name in ConversionTarget]?: string } = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
};

function convert(value: CelValue, to: ConversionTarget): CelValue | undefined {
  switch (typeof value) {
    case "string":
      return readers[to](value);
    case "bigint":
      return fromInteger(value, to);
    case "number":
      return fromDouble(value, to);
    case "boolean":
      if (to === "string") return `${value}`;
      return to === "bool" ? value : undefined;
  }
  if (value === null) return to === "string" ? "null" : undefined;
  if (value instanceof CelUint) return fromUnsigned(value, to);
  if (value instanceof Uint8Array) return fromBytes(value, to);
  if (value instanceof CelDuration) return fromDuration(value, to);
  if (value instanceof CelTimestamp) return fromTimestamp(value, to);
  if (value instanceof CelTypeValue) return to === "string" ? value.name : undefined;
  if (value instanceof CelError) return value;
  return value instanceof CelOpaque && to === "string" ? value.toString() : undefined;
}

const readers: Readonly<Record<ConversionTarget, (text: string) => CelValue | undefined>> = {
  string: (text) => text,
  bytes: (text) => new TextEncoder().encode(text),
  double: readDouble,
  int: (text) => {
    if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
    const value = BigInt(text.replace(/^\+/, ""));
    return value === BigInt.asIntN(64, value) ? value : undefined;
  },
  uint: (text) => {
    if (!/^[0-9]+$/.test(text)) return undefined;
    const value = BigInt(text);
    return value === BigInt.asUintN(64, value) ? new CelUint(value) : undefined;
  },
  bool: (text) => {
    if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
    return /^(0|f|F|false|FALSE|False)$/.test(text) ? false : undefined;
  },
  duration: (text) => {
    const nanos = attempt(() => parseDuration(text));
    return nanos === undefined ? undefined : new CelDuration(nanos);
  },
  timestamp: (text) => {
    const time = readTimestamp(text);
    return time && (isTimestamp(time.seconds) ? time : timestampOverflow);
  },
};

/** Reads a time as RFC 3339 writes it, with its offset; undefined if it is none. */
export function readTimestamp(text: string): CelTimestamp | undefined {
  const time = attempt(() => parseTime(text));
  if (time === undefined) return undefined;
  const zone = /([+-])(\d\d):(\d\d)$/.exec(text);
  const minutes = zone === null ? 0 : Number(zone[2]) * 60 + Number(zone[3]);
  return new CelTimestamp(BigInt(time.seconds), time.nanos, zone?.[1] === "-" ? -minutes : minutes);
}

/** Times are of the years 1 to 9999. */
export const isTimestamp = (seconds: bigint): boolean =>
  seconds >= -62135596800n && seconds <= 253402300799n;

function fromInteger(value: bigint, to: ConversionTarget): CelValue | undefined {
  switch (to) {
    case "int":
      return value;
    case "uint":
      return value < 0n ? unsignedOverflow : new CelUint(value);
    case "double":
      return Number(value);
    case "string":
      return `${value}`;
    case "timestamp":
      return isTimestamp(value) ? new CelTimestamp(value, 0) : timestampOverflow;
    default:
      return undefined;
  }
}

function fromUnsigned(unsigned: CelUint, to: ConversionTarget): CelValue | undefined {
  const { value } = unsigned;
  switch (to) {
    case "uint":
      return unsigned;
    case "int":
      return value < 2n ** 63n ? value : integerOverflow;
    case "double":
      return Number(value);
    case "string":
      return `${value}`;
    default:
      return undefined;
  }
}

function fromDouble(value: number, to: ConversionTarget): CelValue | undefined {
  switch (to) {
    case "double":
      return value;
    case "int":
      return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : integerOverflow;
    case "uint":
      return value >= 0 && value < 2 ** 64
        ? new CelUint(BigInt(Math.trunc(value)))
        : unsignedOverflow;
    case "string":
      return showDouble(value);
    default:
      return undefined;
  }
}

function fromBytes(value: Uint8Array, to: ConversionTarget): CelValue | undefined {
  if (to === "bytes") return value;
  if (to !== "string") return undefined;
  const text = attempt(() =>
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value),
  );
  return text ?? new CelError("invalid UTF-8 in bytes, cannot convert to string");
}

function fromDuration(value: CelDuration, to: ConversionTarget): CelValue | undefined {
  if (to === "duration") return value;
  if (to === "int") return value.nanos;
  return to === "string" ? `${plainDouble(secondsOf(value))}s` : undefined;
}

/** The length of a duration in seconds, as a double. */
const secondsOf = ({ nanos }: CelDuration): number =>
  Number(nanos / 1_000_000_000n) + Number(nanos % 1_000_000_000n) / 1e9;

function fromTimestamp(value: CelTimestamp, to: ConversionTarget): CelValue | undefined {
  if (to === "timestamp") return value;
  if (to === "int") return value.seconds;
  return to === "string" ? formatTimestamp(value) : undefined;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
