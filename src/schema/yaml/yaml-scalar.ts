/** What a scalar may stand for: integers beyond a number's reach are bigints. */
export type YamlScalar = string | number | bigint | boolean | null;

/** The value of a plain scalar, by the rules kubectl reads YAML by. */
export function resolveScalar(text: string): YamlScalar {
  const known = words.get(text);
  if (known !== undefined) return known;
  const first = text.charCodeAt(0);
  const digit = first >= 0x30 && first <= 0x39;
  if (!digit && first !== 0x2b && first !== 0x2d && first !== 0x2e) return text;
  if (first === 0x2e) return resolveFloat(text) ?? text;
  if (digit && isTimestamp(text)) return text;
  const bare = text.includes("_") ? text.replaceAll("_", "") : text;
  return resolveInteger(bare) ?? resolveFloat(bare) ?? text;
}

/** Whether a plain scalar is a date or time; those stay strings. */
export function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zone = 0] =
    match.slice(1).map((digits: string | undefined) => Number(digits ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  return hour < 24 && minute < 60 && second < 60 && zoneHour <= 24 && zone <= 60;
}

/** Writes a number as Go's %g does, with as few digits as `bits` of precision need. */
export function formatFloat(value: number, bits: 32 | 64 = 64): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const [digits = "", power = "0"] = (bits === 32 ? shortest32(value) : value)
    .toExponential()
    .split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return plainDecimal(digits, exponent);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${`${Math.abs(exponent)}`.padStart(2, "0")}`;
}

/** YAML 1.1's words; the resolver knows neither 1.2's nor base 60. */
const words: ReadonlyMap<string, YamlScalar> = new Map<string, YamlScalar>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word): [string, YamlScalar] => [word, true],
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word): [string, YamlScalar] => [word, false],
  ),
  ...["", "~", "null", "Null", "NULL"].map((word): [string, YamlScalar] => [word, null]),
  ...[".nan", ".NaN", ".NAN"].map((word): [string, YamlScalar] => [word, Number.NaN]),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word): [string, YamlScalar] => [
    word,
    Number.POSITIVE_INFINITY,
  ]),
  ...["-.inf", "-.Inf", "-.INF"].map((word): [string, YamlScalar] => [
    word,
    Number.NEGATIVE_INFINITY,
  ]),
]);

const timestamp =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt](?=.*(?:Z|[+-]\d\d:\d\d)$)| (?=[\d:.,]*$))(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))?)?$/;

const integer = /^([+-]?)(?:(0[xX][0-9a-fA-F]+)|(0[bB][01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const maxUint64 = (1n << 64n) - 1n;

function resolveInteger(text: string): number | bigint | undefined {
  const match = integer.exec(text);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const size = BigInt(hex ?? binary ?? (octal === undefined ? (decimal ?? "") : `0o${octal}`));
  const value = sign === "-" ? -size : size;
  // Signed numbers have 63 bits, others 64.
  const max = sign === "" ? maxUint64 : maxUint64 >> 1n;
  if (value > max || value < -(maxUint64 >> 1n) - 1n) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

function resolveFloat(text: string): number | undefined {
  if (!float.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** The last day of a month: the day before the first of the next. */
function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

function shortest32(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === Math.fround(value)) return rounded;
  }
  return Number(value.toPrecision(9));
}

function plainDecimal(digits: string, exponent: number): string {
  const negative = digits.startsWith("-");
  const bare = digits.replace("-", "").replace(".", "");
  const point = exponent + 1;
  let text: string;
  if (point <= 0) text = `0.${"0".repeat(-point)}${bare}`;
  else if (bare.length <= point) text = bare.padEnd(point, "0");
  else text = `${bare.slice(0, point)}.${bare.slice(point)}`;
  return negative ? `-${text}` : text;
}
