import { goFloat } from "../../../schema/values/go-print.ts";
import { quote } from "../../../schema/values/quote.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import { bytesOf, GoNumber, isGoMap, isInteger, numeric, typeName } from "./go-value.ts";
import { namedCharacter } from "./named-character.ts";

/** Values as Go's fmt.Sprint writes them: a space is between two that are no strings. */
export function goPrint(args: readonly unknown[]): string {
  return args
    .map((arg, i) => {
      const apart = i > 0 && typeof arg !== "string" && typeof args[i - 1] !== "string";
      return (apart ? " " : "") + formatted(arg, "v", noFlags);
    })
    .join("");
}

export const goPrintln = (args: readonly unknown[]): string =>
  `${args.map((arg) => formatted(arg, "v", noFlags)).join(" ")}\n`;

/** Writes values by a format of Go's fmt.Sprintf. Floats are not written in base 2 or 16. */
export function goPrintf(format: string, args: readonly unknown[]): string {
  return new Formatter(format, args).run();
}

interface FormatFlags {
  readonly flags: ReadonlySet<string>;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}
const noFlags: FormatFlags = { flags: new Set(), width: undefined, precision: undefined };

class Formatter {
  readonly #format: string;
  readonly #args: readonly unknown[];
  #at = 0;
  #arg = 0;
  #reordered = false;
  #goodIndex = true;

  constructor(format: string, args: readonly unknown[]) {
    this.#format = format;
    this.#args = args;
  }

  run(): string {
    let out = "";
    while (this.#at < this.#format.length) {
      const percent = this.#format.indexOf("%", this.#at);
      const end = percent < 0 ? this.#format.length : percent;
      out += this.#format.slice(this.#at, end);
      this.#at = end + 1;
      if (percent >= 0) out += this.#directive();
    }
    return out + this.#extra();
  }

  #directive(): string {
    this.#goodIndex = true;
    let problem = "";
    const flags = new Set<string>();
    while (/[#0+\- ]/.test(this.#char())) {
      flags.add(this.#char());
      this.#at++;
    }
    this.#index();
    let width = this.#count();
    if (width === "bad") problem += "%!(BADWIDTH)";
    if (typeof width === "number" && width < 0) {
      flags.add("-");
      width = -width;
    }
    let precision: number | "bad" | undefined;
    if (this.#char() === ".") {
      this.#at++;
      this.#index();
      precision = this.#count() ?? 0;
      if (precision === "bad" || precision < 0) problem += "%!(BADPREC)";
    }
    this.#index();
    if (this.#at >= this.#format.length) return `${problem}%!(NOVERB)`;
    const verb = String.fromCodePoint(this.#format.codePointAt(this.#at) ?? 0);
    this.#at += verb.length;
    if (flags.has("-")) flags.delete("0");
    return (
      problem +
      this.#verb(verb, {
        flags,
        width: width === "bad" ? undefined : width,
        precision: precision === "bad" || Number(precision) < 0 ? undefined : precision,
      })
    );
  }

  #verb(verb: string, options: FormatFlags): string {
    if (verb === "%") return "%";
    if (!this.#goodIndex) return `%!${verb}(BADINDEX)`;
    if (this.#arg >= this.#args.length) return `%!${verb}(MISSING)`;
    return formatted(this.#args[this.#arg++], verb, options);
  }

  /** `[3]`, which chooses the next argument. */
  #index(): void {
    if (this.#char() !== "[") return;
    this.#reordered = true;
    const end = this.#format.indexOf("]", this.#at);
    const number = end < 0 ? "" : this.#format.slice(this.#at + 1, end);
    this.#at = end < 0 ? this.#at + 1 : end + 1;
    const index = /^\d+$/.test(number) ? Number(number) - 1 : -1;
    if (index < 0 || index >= this.#args.length) this.#goodIndex = false;
    else this.#arg = index;
  }

  /** A width or a precision; `bad` where an argument should say it and does not. */
  #count(): number | "bad" | undefined {
    if (this.#char() === "*") {
      this.#at++;
      const arg = this.#args[this.#arg++];
      return isInteger(arg) && Math.abs(Number(numeric(arg))) <= 1e6 ? Number(numeric(arg)) : "bad";
    }
    const [digits = ""] = /^\d*/.exec(this.#format.slice(this.#at)) ?? [];
    this.#at += digits.length;
    return digits === "" ? undefined : Number(digits);
  }

  #extra(): string {
    const left = this.#reordered ? [] : this.#args.slice(this.#arg);
    if (left.length === 0) return "";
    const texts = left.map((arg) =>
      isNil(arg) ? "<nil>" : `${typeName(arg)}=${formatted(arg, "v", noFlags)}`,
    );
    return `%!(EXTRA ${texts.join(", ")})`;
  }

  #char(): string {
    return this.#format[this.#at] ?? "";
  }
}

const isNil = (value: unknown): boolean => value === null || value === undefined;

function formatted(value: unknown, verb: string, options: FormatFlags): string {
  if (isNil(value))
    return verb === "T" || verb === "v" ? padded("<nil>", options) : badVerb(value, verb, options);
  if (verb === "T") return padded(truncated(typeName(value), options), options);
  // With %v, the plus asks for the names of fields, which maps have anyway.
  const flags = new Set(options.flags);
  if (verb === "v") flags.delete("+");
  return nested(value, verb, { ...options, flags });
}

function nested(value: unknown, verb: string, options: FormatFlags): string {
  const syntax = verb === "v" && options.flags.has("#");
  if (isNil(value)) return syntax ? "interface {}(nil)" : "<nil>";
  if (typeof value === "boolean")
    return verb === "t" || verb === "v"
      ? padded(String(value), options)
      : badVerb(value, verb, options);
  if (typeof value === "string") return formattedString(value, verb, options);
  if (Array.isArray(value)) {
    const items = value.map((item) => nested(item, verb, options));
    return syntax ? `[]interface {}{${items.join(", ")}}` : `[${items.join(" ")}]`;
  }
  if (isGoMap(value)) {
    const members = sortedKeys(value).map(
      (name) => `${nested(name, verb, options)}:${nested(value[name], verb, options)}`,
    );
    return syntax ? `map[string]interface {}{${members.join(", ")}}` : `map[${members.join(" ")}]`;
  }
  return isInteger(value)
    ? formattedInteger(value, verb, options)
    : formattedFloat(value, verb, options);
}

function badVerb(value: unknown, verb: string, options: FormatFlags): string {
  const text = isNil(value) ? "<nil>" : `${typeName(value)}=${nested(value, "v", options)}`;
  return `%!${verb}(${text})`;
}

function formattedString(text: string, verb: string, options: FormatFlags): string {
  const cut = truncated(text, options);
  const syntax = verb === "v" && options.flags.has("#");
  if (verb === "q" || syntax) {
    const raw = options.flags.has("#") && verb === "q" && isRaw(cut);
    const quoted = options.flags.has("+") ? inAscii(quote(cut)) : quote(cut);
    return padded(raw ? `\`${cut}\`` : quoted, options);
  }
  if (verb === "v" || verb === "s") return padded(cut, options);
  if (verb !== "x" && verb !== "X") return badVerb(text, verb, options);
  const bytes = [...bytesOf(text).slice(0, options.precision)].map((byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  const spaced = options.flags.has(" ");
  const prefix = options.flags.has("#") && bytes.length > 0 ? "0x" : "";
  const hex = spaced ? bytes.map((byte) => prefix + byte).join(" ") : prefix + bytes.join("");
  return padded(verb === "X" ? hex.toUpperCase() : hex, options);
}

const inAscii = (quoted: string): string =>
  quoted.replaceAll(/\P{ASCII}/gu, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
  });

/** Whether a text can stand between back quotes. */
const isRaw = (text: string): boolean => !text.includes("`") && !/[^\P{Cc}\t]|\ufeff/u.test(text);

const bases: ReadonlyMap<string, number> = new Map([
  ["d", 10],
  ["v", 10],
  ["b", 2],
  ["o", 8],
  ["O", 8],
  ["x", 16],
  ["X", 16],
]);

function formattedInteger(value: unknown, verb: string, options: FormatFlags): string {
  const number = BigInt(numeric(value));
  if (verb === "c") return padded(character(number), options);
  if (verb === "q") {
    const char = character(number);
    const quoted = quote(char).slice(1, -1);
    const inside = char === "'" ? "\\'" : char === '"' ? '"' : quoted;
    return padded(`'${inside}'`, options);
  }
  if (verb === "U") {
    const hex = number
      .toString(16)
      .toUpperCase()
      .padStart(options.precision ?? 4, "0");
    const named = options.flags.has("#") ? namedCharacter(character(number)) : `U+${hex}`;
    return padded(named, options);
  }
  const base = bases.get(verb);
  if (base === undefined) return badVerb(value, verb, options);
  if (verb === "v" && options.flags.has("#") && value instanceof GoNumber && value.type === "uint8")
    return padded(`0x${number.toString(16)}`, options);
  return formattedDigits(number, { ...options, verb, base });
}

function formattedDigits(
  number: bigint,
  options: FormatFlags & { readonly verb: string; readonly base: number },
): string {
  const { flags, width, precision, verb, base } = options;
  if (precision === 0 && number === 0n) return padded("", { ...options, flags: without(flags) });
  const size = number < 0n ? -number : number;
  const digits = verb === "X" ? size.toString(base).toUpperCase() : size.toString(base);
  const prefix = prefixOf(digits, options);
  const sign = signOf(number < 0n, flags) + prefix;
  const padsZeros = precision === undefined && flags.has("0");
  const zeros = padsZeros && width !== undefined ? width - sign.length + prefix.length : precision;
  return padded(sign + digits.padStart(zeros ?? 0, "0"), { ...options, flags: without(flags) });
}

/** What tells the base of an integer, where it is asked for. */
function prefixOf(
  digits: string,
  { flags, verb, base }: FormatFlags & { readonly verb: string; readonly base: number },
): string {
  if (verb === "O") return "0o";
  if (!flags.has("#") || verb === "v") return "";
  if (base === 2) return "0b";
  if (base === 16) return `0${verb}`;
  return verb === "o" && !digits.startsWith("0") ? "0" : "";
}

function signOf(isNegative: boolean, flags: ReadonlySet<string>): string {
  if (isNegative) return "-";
  return flags.has("+") ? "+" : flags.has(" ") ? " " : "";
}

function formattedFloat(value: unknown, verb: string, options: FormatFlags): string {
  const number = Number(numeric(value));
  const { flags, width } = options;
  const text = floatText(number, verb, options);
  if (text === undefined) return badVerb(value, verb, options);
  const sign = signOf(text.startsWith("-"), flags);
  const digits = text.replace(/^-/, "");
  const zeros = flags.has("0") && width !== undefined ? width - sign.length : 0;
  return padded(sign + digits.padStart(zeros, "0"), { ...options, flags: without(flags) });
}

/** A float by a verb; undefined for a verb that is for others. */
function floatText(value: number, verb: string, { precision }: FormatFlags): string | undefined {
  switch (verb) {
    case "v":
    case "g":
      return precision === undefined ? goFloat(value) : general(value, precision);
    case "e":
      return twoDigits(value.toExponential(precision ?? 6));
    case "f":
    case "F":
      return fixed(value, precision ?? 6);
    case "E":
    case "G":
      return floatText(value, verb.toLowerCase(), { ...noFlags, precision })?.toUpperCase();
    default:
      return undefined;
  }
}

function general(value: number, precision: number): string {
  const digits = Math.max(precision, 1);
  const exponential = value.toExponential(digits - 1);
  const exponent = Number(exponential.slice(exponential.indexOf("e") + 1));
  const short = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < digits) return short(fixed(value, digits - 1 - exponent));
  const [mantissa = "", power = ""] = exponential.split("e");
  return twoDigits(`${short(mantissa)}e${power}`);
}

/** Rounds what is exactly between two to the even one, as Go does; JavaScript takes the greater. */
function fixed(value: number, precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [numerator, denominator] = exactFraction(Math.abs(value));
  const scaled = numerator * 10n ** BigInt(precision);
  let digits = scaled / denominator;
  const twice = (scaled % denominator) * 2n;
  if (twice > denominator || (twice === denominator && digits % 2n === 1n)) digits++;
  const text = digits.toString().padStart(precision + 1, "0");
  const point = text.length - precision;
  return sign + (precision === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`);
}

/** The fraction that a float is: a power of two divides it. */
function exactFraction(value: number): readonly [bigint, bigint] {
  let [numerator, denominator] = [value, 1n];
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    denominator *= 2n;
  }
  return [BigInt(numerator), denominator];
}

const twoDigits = (text: string): string => text.replace(/e([+-])(\d)$/, "e$10$2");

const without = (flags: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...flags].filter((flag) => flag !== "0"));

const character = (code: bigint): string =>
  code >= 0n && code <= 0x10ffffn && !(code >= 0xd800n && code < 0xe000n)
    ? String.fromCodePoint(Number(code))
    : "\ufffd";

const truncated = (text: string, { precision }: FormatFlags): string =>
  precision === undefined ? text : [...text].slice(0, precision).join("");

function padded(text: string, { flags, width = 0 }: FormatFlags): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  if (flags.has("-")) return text + " ".repeat(missing);
  return (flags.has("0") ? "0" : " ").repeat(missing) + text;
}
