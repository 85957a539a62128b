import { isValidPercent } from "./names.ts";
import { quote } from "./quote.ts";

/** A port, a count or a percentage: an int32, or a string. */
export type IntOrString = number | string;

/**
 * An integer if the text is one of 32 bits, else the text.
 * Unused so far: kubectl will need it, for `expose --target-port`.
 */
export function parseIntOrString(text: string): IntOrString {
  if (!integer.test(text)) return text;
  const value = Number(text);
  return value >= -2147483648 && value <= 2147483647 ? value + 0 : text;
}

/** The integer, or the one a string spells; zero if it spells none. */
export function intValue(value: IntOrString): number {
  if (typeof value === "number") return value;
  return integer.test(value) ? Number(value) : 0;
}

/** The percentage that a string is, if it is one. */
export function percentValue(value: IntOrString): number | undefined {
  if (typeof value === "number" || isValidPercent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}

/** A count as it is, or a percentage of `total`; throws a SyntaxError for any other string. */
export function scaledValue(
  value: IntOrString | undefined,
  total: number,
  rounding: "up" | "down",
): number {
  if (value === undefined) throw new SyntaxError("nil value for IntOrString");
  if (typeof value === "number") return value;
  if (!value.endsWith("%")) throw invalid("invalid type: string is not a percentage");
  const digits = value.slice(0, -1);
  if (!integer.test(digits)) {
    throw invalid(
      `invalid value ${quote(value)}: strconv.Atoi: parsing ${quote(digits)}: invalid syntax`,
    );
  }
  const scaled = (Number(digits) * total) / 100;
  return rounding === "up" ? Math.ceil(scaled) : Math.floor(scaled);
}

const integer = /^[+-]?[0-9]+$/;

function invalid(detail: string): SyntaxError {
  return new SyntaxError(`invalid value for IntOrString: ${detail}`);
}
