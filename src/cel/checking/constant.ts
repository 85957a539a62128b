import { parseDuration } from "../../schema/values/duration.ts";
import { parseTime, type Timestamp } from "../../schema/values/time.ts";
import type { Literal } from "../syntax/ast.ts";

/** A value that is known before an expression is evaluated. */
export type Constant =
  | Literal
  | { readonly type: "duration"; readonly value: bigint }
  | { readonly type: "timestamp"; readonly value: Timestamp };

/** What a conversion of a constant gives: a constant, an error, or nothing that is known here. */
export type Converted = Constant | { readonly error: string } | undefined;

/** Converts a constant with a function of the language that is named as the type that it gives. */
export function convertConstant(to: string, constant: Constant): Converted {
  if (to === "dyn" || to === constant.type) return constant;
  switch (constant.type) {
    case "string":
      return fromString(to, constant.value);
    case "int":
      return fromInteger(to, constant.value);
    case "uint":
      return fromUnsigned(to, constant.value);
    case "double":
      return fromDouble(to, constant.value);
    case "bytes":
      return to === "string" ? textOf(constant.value) : undefined;
    case "bool":
      return to === "string" ? { type: "string", value: `${constant.value}` } : undefined;
    case "duration":
      return to === "int" ? { type: "int", value: constant.value } : undefined;
    case "timestamp":
      return to === "int" ? { type: "int", value: BigInt(constant.value.seconds) } : undefined;
    default:
      return undefined;
  }
}

/** Times are of the years 1 to 9999. */
const isTimestamp = (seconds: bigint): boolean =>
  seconds >= -62135596800n && seconds <= 253402300799n;

const timestampOverflow = { error: "timestamp overflow" };
const integerOverflow = { error: "integer overflow" };
const unsignedOverflow = { error: "unsigned integer overflow" };

function fromString(to: string, text: string): Converted {
  const read = readers[to];
  if (read === undefined) return undefined;
  const failed = { error: `type conversion error from 'string' to '${typeNames[to] ?? to}'` };
  return read(text) ?? failed;
}

const readers: Readonly<Record<string, (text: string) => Converted>> = {
  int: (text) => {
    const value = /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace(/^\+/, "")) : 2n ** 64n;
    return value === BigInt.asIntN(64, value) ? { type: "int", value } : undefined;
  },
  uint: (text) => {
    const value = /^[0-9]+$/.test(text) ? BigInt(text) : -1n;
    return value === BigInt.asUintN(64, value) ? { type: "uint", value } : undefined;
  },
  double: doubleOf,
  bool: (text) => {
    if (/^(1|t|T|true|TRUE|True)$/.test(text)) return { type: "bool", value: true };
    return /^(0|f|F|false|FALSE|False)$/.test(text) ? { type: "bool", value: false } : undefined;
  },
  bytes: (text) => ({ type: "bytes", value: new TextEncoder().encode(text) }),
  duration: (text) => {
    const value = attempt(() => parseDuration(text));
    return value === undefined ? undefined : { type: "duration", value };
  },
  timestamp: (text) => {
    const value = attempt(() => parseTime(text));
    if (value === undefined) return undefined;
    return isTimestamp(BigInt(value.seconds)) ? { type: "timestamp", value } : timestampOverflow;
  },
};

function doubleOf(text: string): Converted {
  const hex = /^([+-]?)0[xX]([0-9a-fA-F_]+)(?:\.([0-9a-fA-F_]*))?[pP]([+-]?[0-9]+)$/.exec(text);
  if (hex !== null) {
    const [, sign, whole = "", fraction = "", exponent] = hex;
    const digits = (whole + fraction).replaceAll("_", "");
    const scale = Number(exponent) - 4 * fraction.replaceAll("_", "").length;
    const value = Number(BigInt(`0x${digits}`)) * 2 ** scale;
    return { type: "double", value: sign === "-" ? -value : value };
  }
  if (/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? { type: "double", value } : undefined;
  }
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (word === null) return undefined;
  const isNumber = word[2]?.toLowerCase() !== "nan";
  const infinity = word[1] === "-" ? -Infinity : Infinity;
  return { type: "double", value: isNumber ? infinity : Number.NaN };
}

function fromInteger(to: string, value: bigint): Converted {
  switch (to) {
    case "uint":
      return value < 0n ? unsignedOverflow : { type: "uint", value };
    case "double":
      return { type: "double", value: Number(value) };
    case "string":
      return { type: "string", value: `${value}` };
    case "timestamp":
      return isTimestamp(value)
        ? { type: "timestamp", value: { seconds: Number(value), nanos: 0 } }
        : timestampOverflow;
    case "duration":
      return { error: "type conversion error from 'int' to 'google.protobuf.Duration'" };
    default:
      return undefined;
  }
}

function fromUnsigned(to: string, value: bigint): Converted {
  switch (to) {
    case "int":
      return value === BigInt.asIntN(64, value) ? { type: "int", value } : integerOverflow;
    case "double":
      return { type: "double", value: Number(value) };
    case "string":
      return { type: "string", value: `${value}` };
    default:
      return undefined;
  }
}

function fromDouble(to: string, value: number): Converted {
  const isWithin = (low: number, high: number): boolean => value > low && value < high;
  if (to === "int") {
    if (!isWithin(-(2 ** 63), 2 ** 63)) return integerOverflow;
    return { type: "int", value: BigInt(Math.trunc(value)) };
  }
  if (to !== "uint") return undefined;
  if (value !== 0 && !isWithin(0, 2 ** 64)) return unsignedOverflow;
  return { type: "uint", value: BigInt(Math.trunc(value)) };
}

function textOf(bytes: Uint8Array): Converted {
  const value = attempt(() =>
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
  );
  return value === undefined
    ? { error: "invalid UTF-8 in bytes, cannot convert to string" }
    : { type: "string", value };
}

const typeNames: Readonly<Record<string, string>> = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
};

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
