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
  if (/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  const hex = /^([+-]?)0[xX]([0-9a-fA-F_]+)(?:\.([0-9a-fA-F_]*))?[pP]([+-]?[0-9]+)$/.exec(text);
  if (hex !== null) {
    const [, sign, whole = "", fraction = "", exponent] = hex;
    const digits = (whole + fraction).replaceAll("_", "");
    const scale = Number(exponent) - 4 * fraction.replaceAll("_", "").length;
    const value = Number(BigInt(`0x${digits}`)) * 2 ** scale;
    return sign === "-" ? -value : value;
  }
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (word === null) return undefined;
  if (word[2]?.toLowerCase() === "nan") return Number.NaN;
  return word[1] === "-" ? -Infinity : Infinity;
}
