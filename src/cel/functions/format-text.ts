import { quote } from "../../schema/values/quote.ts";
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  isError,
  typeNameOf,
} from "../values/cel-value.ts";
import { convertValue } from "../values/convert-value.ts";
import { fixedPoint, groupedFixedPoint, scientific } from "../values/decimal.ts";
import { elementsOf } from "../values/list.ts";
import { entriesOf } from "../values/map.ts";

/** Why a value cannot be shown. */
class FormatFault extends Error {}

/** Fills in the clauses of a text (`%s`, `%.2f`) with values; an error if one does not fit. */
export function formatText(text: string, values: CelList): CelValue {
  try {
    return fill(text, elementsOf(values));
  } catch (fault) {
    if (fault instanceof FormatFault) return new CelError(fault.message);
    throw fault;
  }
}

function fill(text: string, values: readonly CelValue[]): string {
  let out = "";
  let used = 0;
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf("%", at);
    if (next < 0) return out + text.slice(at);
    out += text.slice(at, next);
    if (text[next + 1] === "%") {
      out += "%";
      at = next + 2;
      continue;
    }
    const value = values[used];
    if (value === undefined) throw new FormatFault(`index ${used} out of range`);
    if (next + 1 >= text.length) throw new FormatFault("unexpected end of string");
    const { show, length } = readClause(text.slice(next + 1));
    out += attempt("error during formatting", () => show(value));
    used++;
    at = next + 1 + length;
  }
  return out;
}

function attempt(what: string, run: () => string): string {
  try {
    return run();
  } catch (fault) {
    throw fault instanceof FormatFault ? new FormatFault(`${what}: ${fault.message}`) : fault;
  }
}

type Show = (value: CelValue) => string;

function readClause(text: string): { readonly show: Show; readonly length: number } {
  const [precisionText = "", digits = ""] = /^\.([0-9]*)/.exec(text) ?? [];
  const letter = text[precisionText.length];
  const cannot = (why: string): FormatFault =>
    new FormatFault(`could not parse formatting clause: ${why}`);
  if (letter === undefined)
    throw cannot("error while parsing precision: could not find end of precision specifier");
  const isTooLarge = digits !== "" && BigInt(digits) >= 2n ** 63n;
  if (precisionText !== "" && (digits === "" || isTooLarge)) {
    const reason = isTooLarge ? "value out of range" : "invalid syntax";
    throw cannot(
      `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing ${quote(digits)}: ${reason}`,
    );
  }
  const precision = precisionText === "" ? undefined : BigInt(digits);
  const show = clauses[letter]?.(precision);
  if (show === undefined) {
    const [byte = 0] = new TextEncoder().encode(text.slice(precisionText.length));
    throw cannot(`unrecognized formatting clause "${String.fromCharCode(byte)}"`);
  }
  return { show, length: precisionText.length + 1 };
}

const clauses: Readonly<Record<string, (precision: bigint | undefined) => Show>> = {
  s: () => showText,
  d: () => showDecimal,
  f: (precision) => (value) => showFixedPoint(doubleOf(value, "fixed-point"), precision ?? 6n),
  e: (precision) => (value) => showScientific(doubleOf(value, "scientific"), precision ?? 6n),
  b: () => (value) => {
    if (typeof value === "boolean") return value ? "1" : "0";
    return inBase(value, { base: 2, fault: "only integers and bools can be formatted as binary" });
  },
  o: () => (value) =>
    inBase(value, { base: 8, fault: "octal clause can only be used on integers" }),
  x: () => showHex,
  X: () => (value) => showHex(value).toUpperCase(),
};

/** What Go's library writes for a precision that it does not read to the end. */
const noVerb = "%!(NOVERB)";
const isUnread = (precision: bigint): boolean => precision / 10n > 1_000_000n;

/** The precision is taken for a width, of 16 bits. */
function showScientific(value: number, precision: bigint): string {
  if (isUnread(precision)) return noVerb;
  return scientific(value, 6).padStart(Number(BigInt.asUintN(16, precision)));
}

/** Go's library stores the most digits after the point in 16 bits, and the fewest in 8. */
function showFixedPoint(value: number, precision: bigint): string {
  if (isUnread(precision)) return noVerb;
  const most = Number(BigInt.asIntN(16, precision));
  const fewest = Number(BigInt.asUintN(8, precision));
  return groupedFixedPoint(value, { most: most < 0 ? undefined : most, fewest });
}

function doubleOf(value: CelValue, clause: string): number {
  const isWord = value === "NaN" || value === "Infinity" || value === "-Infinity";
  if (typeof value !== "number" && !isWord)
    throw new FormatFault(
      `${clause} clause can only be used on doubles, was given ${typeNameOf(value)}`,
    );
  return Number(value);
}

function inBase(value: CelValue, { base, fault }: { base: number; fault: string }): string {
  const whole = value instanceof CelUint ? value.value : value;
  if (typeof whole === "bigint") return whole.toString(base);
  throw new FormatFault(`${fault}, was given ${typeNameOf(value)}`);
}

function showHex(value: CelValue): string {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array)
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return inBase(value, {
    base: 16,
    fault: "only integers, byte buffers, and strings can be formatted as hex",
  });
}

function showDecimal(value: CelValue): string {
  return inBase(value, { base: 10, fault: "decimal clause can only be used on integers" });
}

function showText(value: CelValue): string {
  if (value === null) return "null";
  if (value instanceof CelList) return showList(value);
  if (value instanceof CelMap) return showMap(value);
  const isSimple =
    typeof value !== "object" ||
    value instanceof Uint8Array ||
    value instanceof CelUint ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration ||
    value instanceof CelTypeValue;
  if (!isSimple)
    throw new FormatFault(
      `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
    );
  const text = convertValue(value, "string");
  if (isError(text))
    throw new FormatFault(`could not convert argument ${quote(text.message)} to string`);
  return String(text);
}

const showList = (list: CelList): string => `[${elementsOf(list).map(showInside).join(", ")}]`;

function showMap(map: CelMap): string {
  const shown = entriesOf(map).map(([key, value]) => {
    if (!/^(string|bool|int|uint)$/.test(typeNameOf(key)))
      throw new FormatFault(`no formatting function for map key of type ${typeNameOf(key)}`);
    return { key: showInside(key), value: showInside(value) };
  });
  shown.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return `{${shown.map(({ key, value }) => `${key}:${value}`).join(", ")}}`;
}

/** A value in a list or map, as it would be written in an expression. */
function showInside(value: CelValue): string {
  if (typeof value === "string") return quote(value);
  if (value instanceof Uint8Array) return `b${quote(showText(value))}`;
  if (value instanceof CelTimestamp) return `timestamp(${quote(showText(value))})`;
  if (value instanceof CelDuration) return `duration(${quote(showText(value))})`;
  if (typeof value === "number")
    return Number.isFinite(value) ? fixedPoint(value, 6) : quote(showSpecial(value));
  if (value !== null && typeof value === "object" && !isShown(value))
    throw new FormatFault(`no formatting function for ${typeNameOf(value)}`);
  return showText(value);
}

const isShown = (value: CelValue): boolean =>
  value instanceof CelList ||
  value instanceof CelMap ||
  value instanceof CelUint ||
  value instanceof CelTypeValue;

const showSpecial = (value: number): string =>
  Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
