/** Shows a double as Go does: the fewest digits, with an exponent where it is small or large. */
export function showDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return plainDouble(value);
  return `${digits}e${power < 0 ? "-" : "+"}${`${Math.abs(power)}`.padStart(2, "0")}`;
}

/** Shows a double with the fewest digits and without an exponent. */
export function plainDouble(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, "0");
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Reads a double as Go does; undefined if the text is none, or too large. */
export function readDouble(text: string): number | undefined {
  if (/^nan$/i.test(text)) return Number.NaN;
  const [infinite, sign] = /^([+-]?)inf(?:inity)?$/i.exec(text) ?? [];
  if (infinite !== undefined) return sign === "-" ? -Infinity : Infinity;
  const plain = withoutUnderscores(text);
  const value = plain === undefined ? Number.NaN : (readDecimal(plain) ?? readHexadecimal(plain));
  return Number.isFinite(value) ? value : undefined;
}

/** Underscores may be between digits, and after the prefix of a base. */
function withoutUnderscores(text: string): string | undefined {
  if (!text.includes("_")) return text;
  const isHexadecimal = /^[+-]?0[xX]/.test(text);
  const digit = isHexadecimal ? "[0-9a-fA-FxX]" : "[0-9]";
  if (new RegExp(`(?<!${digit})_|_(?!${digit})`).test(text)) return undefined;
  return text.replaceAll("_", "");
}

function readDecimal(text: string): number | undefined {
  const isDecimal = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text);
  return isDecimal ? Number(text) : undefined;
}

function readHexadecimal(text: string): number {
  const [, sign, whole = "", fraction = "", exponent] =
    /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/.exec(text) ?? [];
  if (whole + fraction === "") return Number.NaN;
  const value = binaryFraction(
    BigInt(`0x${whole}${fraction}`),
    Number(exponent) - 4 * fraction.length,
  );
  return sign === "-" ? -value : value;
}

/** The double nearest to `mantissa` × 2^`power`. */
function binaryFraction(mantissa: bigint, power: number): number {
  const length = mantissa.toString(2).length;
  // As many bits as a double holds at that size: what is cut off decides how they are rounded.
  const surplus = length - Math.min(53, length + power + 1074);
  if (mantissa === 0n || surplus > length) return 0;
  if (surplus <= 0) return scaled(Number(mantissa), power);
  const unit = 1n << BigInt(surplus);
  const rest = (mantissa % unit) * 2n;
  const kept = mantissa / unit;
  const isUp = rest > unit || (rest === unit && kept % 2n === 1n);
  return scaled(Number(isUp ? kept + 1n : kept), power + surplus);
}

/** In two steps, because neither power of two need be a double. */
const scaled = (value: number, power: number): number =>
  value * 2 ** Math.trunc(power / 2) * 2 ** (power - Math.trunc(power / 2));
