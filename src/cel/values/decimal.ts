import { plainDouble } from "./double.ts";

/** A double written out: `digits` with the decimal point after the first `point` of them. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly point: number;
}

/** Writes a double with so many digits after the point; halves go to the even digit. */
export function fixedPoint(value: number, places: number): string {
  if (!Number.isFinite(value)) return special(value);
  const decimal = rounded(exact(value), places);
  const whole = decimal.digits.slice(0, decimal.point) || "0";
  const fraction = decimal.digits.slice(decimal.point);
  return `${decimal.isNegative ? "-" : ""}${whole}${places === 0 ? "" : `.${fraction}`}`;
}

/**
 * Writes a double with commas between each three digits, and with so many digits after the point; without
 * a limit, with as many as tell it from all others.
 */
export function groupedFixedPoint(
  value: number,
  { most, fewest }: { readonly most: number | undefined; readonly fewest: number },
): string {
  if (!Number.isFinite(value)) return special(value);
  const plain = most === undefined ? plainDouble(value) : fixedPoint(withoutSign(value), most);
  const [whole = "", fraction = ""] = plain.split(".");
  const grouped = whole.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
  const shown = fraction.replace(/0+$/, "").padEnd(fewest, "0");
  return shown === "" ? grouped : `${grouped}.${shown}`;
}

/** Zero has no sign. */
const withoutSign = (value: number): number => (value === 0 ? 0 : value);

/** Writes a double as a number below ten and a power of ten: `1.500000×10⁰³`. */
export function scientific(value: number, places: number): string {
  if (!Number.isFinite(value)) return special(value);
  const decimal = exact(withoutSign(value));
  const leading = Math.max(decimal.digits.search(/[1-9]/), 0);
  const one = { ...decimal, digits: decimal.digits.slice(leading), point: 1 };
  let power = value === 0 ? 0 : decimal.point - leading - 1;
  let shifted = rounded(one, places);
  if (shifted.point > 1) {
    power++;
    shifted = rounded({ ...one, point: 0 }, places);
  }
  const whole = shifted.digits.slice(0, shifted.point) || "0";
  const fraction = shifted.digits.slice(shifted.point);
  const sign = shifted.isNegative ? "-" : "";
  const exponent = `${Math.abs(power)}`
    .padStart(2, "0")
    .replace(/\d/g, (d) => raised[Number(d)] ?? "");
  return `${sign}${whole}${places === 0 ? "" : `.${fraction}`}×10${power < 0 ? "⁻" : ""}${exponent}`;
}

const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";

const special = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞");

/** All digits of a double: each is a whole number times a power of two. */
function exact(value: number): Decimal {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const isNegative = bits >> 63n === 1n;
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  const power = (biased === 0 ? 1 : biased) - 1075;
  if (power >= 0) {
    const digits = `${mantissa << BigInt(power)}`;
    return { isNegative, digits, point: digits.length };
  }
  // Dividing by a power of two is multiplying by that of five, with the point moved.
  const digits = `${mantissa * 5n ** BigInt(-power)}`.padStart(-power + 1, "0");
  return { isNegative, digits, point: digits.length + power };
}

function rounded({ isNegative, digits, point }: Decimal, places: number): Decimal {
  const padded = point < 0 ? "0".repeat(-point) + digits : digits;
  const at = Math.max(point, 0);
  const kept = padded.slice(0, at + places).padEnd(at + places, "0");
  const dropped = padded.slice(at + places);
  if (!isRoundedUp(kept, dropped)) return { isNegative, digits: kept, point: at };
  const up = `${BigInt(`1${kept}`) + 1n}`;
  const carried = up.startsWith("2");
  return {
    isNegative,
    digits: carried ? `1${up.slice(1)}` : up.slice(1),
    point: carried ? at + 1 : at,
  };
}

function isRoundedUp(kept: string, dropped: string): boolean {
  if (dropped === "" || dropped < "5") return false;
  if (/^50*$/.test(dropped)) return Number(kept.at(-1) ?? "0") % 2 === 1;
  return true;
}
