/** The family of suffixes a quantity is written with. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An exact amount: `mantissa` × 10^`scale`. */
export interface Quantity {
  /** A number while that is exact (a safe integer), else a bigint. */
  readonly mantissa: number | bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** How it was written, where Kubernetes would write it so again. */
  readonly text?: string;
}

/** Reads a quantity; throws a SyntaxError with Kubernetes' words. */
export function parseQuantity(text: string): Quantity {
  let quantity = recent.get(text);
  if (quantity === undefined) {
    quantity = read(text);
    // A cluster knows few amounts, and asks for them again and again.
    if (recent.size >= maxRecent) recent.clear();
    if (text.length <= maxRecentLength) recent.set(text, quantity);
  }
  return quantity;
}

const recent = new Map<string, Quantity>();
const maxRecent = 1000;
const maxRecentLength = 24;

function read(text: string): Quantity {
  if (text === "0") return { mantissa: 0, scale: 0, format: "DecimalSI", text };
  if (text === "") throw new SyntaxError(wrongFormat);
  const parts = splitQuantity(text);
  const suffix = interpret(parts.suffix);
  return isSmall(parts, suffix) ? parseSmall(text, parts, suffix) : parseLarge(parts, suffix);
}

/** Whether Go holds a quantity in more than 64 bits: that shows where it is converted to a number. */
export function isLargeQuantity(text: string): boolean {
  if (text === "0") return false;
  const parts = splitQuantity(text);
  return !isSmall(parts, interpret(parts.suffix));
}

/** The string Kubernetes would answer with; throws as `parseQuantity` does. */
export function canonicalQuantity(text: string): string {
  return canonical.test(text) ? text : formatQuantity(parseQuantity(text));
}

/** The canonical string of a decoded JSON value, which may be a number; throws as `parseQuantity` does. */
export function quantityFromJson(value: unknown): string {
  if (typeof value === "string") return canonicalQuantity(value.trim());
  if (typeof value === "number" || typeof value === "bigint") return canonicalQuantity(`${value}`);
  if (value === null) return "0";
  throw new SyntaxError(wrongFormat);
}

/** A quantity of `mantissa` × 10^`scale`. */
export function quantityOf(
  mantissa: number | bigint,
  format: QuantityFormat = "DecimalSI",
  scale = 0,
): Quantity {
  return { mantissa: narrow(BigInt(mantissa)), scale, format };
}

/** Writes a quantity in its canonical form. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (isZeroQuantity(quantity)) return "0";
  const binary = quantity.format === "BinarySI" ? formatBinary(quantity) : undefined;
  return binary ?? formatDecimal(quantity);
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.scale === b.scale) return order(a.mantissa, b.mantissa);
  const sign = quantitySign(a);
  const other = quantitySign(b);
  if (sign !== other || sign === 0) return order(sign, other);
  // Exponents may be any int32, so amounts of different length are never brought to one scale.
  const longer = magnitude(a) - magnitude(b);
  if (longer !== 0) return order(longer * sign, 0);
  const scale = Math.min(a.scale, b.scale);
  return order(rescaled(a, scale), rescaled(b, scale));
}

/** The sum, in the format of `a` unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const format = isZeroQuantity(a) ? b.format : a.format;
  if (isZeroQuantity(b)) return { mantissa: a.mantissa, scale: a.scale, format };
  if (isZeroQuantity(a)) return { mantissa: b.mantissa, scale: b.scale, format };
  if (a.scale === b.scale && typeof a.mantissa === "number" && typeof b.mantissa === "number") {
    const sum = a.mantissa + b.mantissa;
    if (Number.isSafeInteger(sum)) return { mantissa: sum, scale: a.scale, format };
  }
  const scale = Math.min(a.scale, b.scale);
  return { mantissa: narrow(rescaled(a, scale) + rescaled(b, scale)), scale, format };
}

/** The difference, in the format of `a` unless that is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, negateQuantity(b));
}

/** The same amount with the other sign. */
export function negateQuantity({ mantissa, scale, format }: Quantity): Quantity {
  return { mantissa: mantissa === 0 ? 0 : -mantissa, scale, format };
}

/** Whether the amount is nothing. */
export function isZeroQuantity(quantity: Quantity): boolean {
  return quantity.mantissa === 0;
}

/** The amount rounded away from zero to a multiple of 10^`scale`. */
export function roundUpQuantity(quantity: Quantity, scale: number): Quantity {
  const { mantissa, format } = quantity;
  if (quantity.scale >= scale) return quantity;
  const size = divideUp(BigInt(absolute(mantissa)), scale - quantity.scale);
  return { mantissa: narrow(mantissa < 0 ? -size : size), scale, format };
}

/** -1, 0 or 1. */
export function quantitySign(quantity: Quantity): number {
  return order(quantity.mantissa, 0);
}

/** The amount as an integer, rounded away from zero. */
export function quantityValue(quantity: Quantity): number {
  return scaledValue(quantity, 0);
}

/** A thousand times the amount as an integer, rounded away from zero. */
export function quantityMilliValue(quantity: Quantity): number {
  return scaledValue(quantity, -3);
}

/** The nearest number. */
export function quantityAsNumber({ mantissa, scale }: Quantity): number {
  return scale === 0 ? Number(mantissa) : Number(`${mantissa}e${scale}`);
}

const wrongFormat =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = "unable to parse numeric part of quantity";
const wrongSuffix = "unable to parse quantity's suffix";

/** Most quantities in the wild: written the way they will be read. */
const canonical = /^(?:0|[1-9][0-9]{0,14}(?<!000)[numkMGTPE]?|[1-9][0-9]{0,2}[KMG]i)$/;

const maxInt64 = 9223372036854775807n;
const nano = -9;

interface Parts {
  readonly negative: boolean;
  /** Digits before the point, without leading zeros; "0" if there are none. */
  readonly num: string;
  readonly denom: string;
  readonly suffix: string;
  /** Whether any digit was written. */
  readonly digits: boolean;
}

const shape = /^([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;

function splitQuantity(text: string): Parts {
  const match = shape.exec(text);
  if (match === null) throw new SyntaxError(wrongFormat);
  const [, sign = "", zeros = "", num = "", denom = "", suffix = ""] = match;
  return {
    negative: sign === "-",
    num: num === "" ? "0" : num,
    denom,
    suffix,
    digits: zeros !== "" || num !== "" || denom !== "",
  };
}

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

function interpret(suffix: string): Suffix {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { base: 10, exponent: decimal * 3 - 9, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return { base: 2, exponent: binary * 10, format: "BinarySI" };
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw new SyntaxError(wrongSuffix);
  return { base: 10, exponent: readExponent(suffix.slice(1)), format: "DecimalExponent" };
}

function readExponent(text: string): number {
  const exponent = BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (exponent > maxInt64 || exponent < -maxInt64 - 1n) throw new SyntaxError(wrongSuffix);
  return Number(BigInt.asIntN(32, exponent));
}

/** Whether Go holds it in 64 bits; only then is the text kept as it was written. */
function isSmall(parts: Parts, suffix: Suffix): boolean {
  if (suffix.base === 10) {
    const scale = suffix.exponent - parts.denom.length;
    return parts.num.length + parts.denom.length <= 18 && scale >= nano;
  }
  return parts.denom === "" && parts.num.length + (suffix.exponent * 3) / 10 <= 14;
}

function parseSmall(text: string, parts: Parts, suffix: Suffix): Quantity {
  const { num, denom, negative } = parts;
  const { base, exponent, format } = suffix;
  const digits = num + denom;
  const plain: number | bigint = digits.length <= 15 ? Number(digits) : narrow(BigInt(digits));
  const factor = base === 2 ? 2 ** exponent : 1;
  const amount = typeof plain === "number" ? plain * factor : plain;
  const mantissa = negative && amount !== 0 ? -amount : amount;
  const scale = base === 2 ? 0 : exponent - denom.length;
  const kept =
    base === 2
      ? typeof plain === "number" && plain % 8 !== 0
      : scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return kept ? { mantissa, scale, format, text } : { mantissa, scale, format };
}

function parseLarge(parts: Parts, suffix: Suffix): Quantity {
  if (!parts.digits) throw new SyntaxError(wrongNumber);
  const binary = suffix.base === 2;
  let amount = BigInt(parts.num + parts.denom);
  let scale = -parts.denom.length;
  if (binary) amount <<= BigInt(suffix.exponent);
  else scale += suffix.exponent;
  if (amount !== 0n && scale < nano) {
    amount = divideUp(amount, nano - scale);
    scale = nano;
  }
  let format = suffix.format;
  const whole = { mantissa: narrow(amount), scale, format };
  if (binary && compareQuantities(whole, largest) > 0) {
    amount = maxInt64;
    scale = 0;
  } else if (binary && amount !== 0n && compareQuantities(whole, one) < 0) {
    format = "DecimalSI";
  }
  return { mantissa: narrow(parts.negative ? -amount : amount), scale, format };
}

const largest: Quantity = { mantissa: maxInt64, scale: 0, format: "BinarySI" };
const one: Quantity = { mantissa: 1, scale: 0, format: "BinarySI" };

/** Undefined where binary suffixes would hide digits: small amounts and fractions. */
function formatBinary(quantity: Quantity): string | undefined {
  const size = { ...quantity, mantissa: absolute(quantity.mantissa) };
  if (compareQuantities(size, { mantissa: 1024, scale: 0, format: "BinarySI" }) < 0) {
    return undefined;
  }
  const fraction = quantity.scale < 0 ? 10n ** BigInt(-quantity.scale) : 1n;
  let amount = quantity.scale < 0 ? BigInt(quantity.mantissa) : rescaled(quantity, 0);
  if (amount % fraction !== 0n) return undefined;
  amount /= fraction;
  let power = 0;
  while (amount % 1024n === 0n) {
    amount /= 1024n;
    power++;
  }
  return `${amount}${binarySuffixes[power] ?? ""}`;
}

function formatDecimal({ mantissa, scale, format }: Quantity): string {
  const digits = `${mantissa}`;
  const bare = digits.replace(/0+$/, "");
  const exponent = scale + digits.length - bare.length;
  const third = Math.floor(exponent / 3);
  const number = bare + "0".repeat(exponent - third * 3);
  if (format !== "DecimalExponent") return `${number}${decimalSuffixes[third + 3] ?? ""}`;
  return third === 0 ? number : `${number}e${third * 3}`;
}

function scaledValue(quantity: Quantity, scale: number): number {
  const { mantissa } = quantity;
  const up = quantity.scale - scale;
  if (up === 0) return Number(mantissa);
  if (up > 0) return quantityAsNumber({ ...quantity, scale: up });
  const size = absolute(mantissa);
  const divided = typeof size === "number" && -up <= 15 ? quotientUp(size, -up) : undefined;
  const value = divided ?? Number(divideUp(BigInt(size), -up));
  return mantissa < 0 ? -value : value;
}

function quotientUp(size: number, zeros: number): number {
  const divisor = 10 ** zeros;
  const rest = size % divisor;
  return (size - rest) / divisor + (rest === 0 ? 0 : 1);
}

/** `amount` / 10^`zeros` for a positive amount, rounded up. */
function divideUp(amount: bigint, zeros: number): bigint {
  if (amount.toString().length <= zeros) return amount === 0n ? 0n : 1n;
  const divisor = 10n ** BigInt(zeros);
  return (amount + divisor - 1n) / divisor;
}

/** The mantissa at a scale that is not greater. */
function rescaled(quantity: Quantity, scale: number): bigint {
  return BigInt(quantity.mantissa) * 10n ** BigInt(quantity.scale - scale);
}

/** How many digits stand before the point; negative where zeros follow it. */
function magnitude({ mantissa, scale }: Quantity): number {
  return `${absolute(mantissa)}`.length + scale;
}

function absolute(value: number | bigint): number | bigint {
  return value < 0 ? -value : value;
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function order(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
