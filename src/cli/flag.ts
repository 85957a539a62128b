import { formatDuration, parseDuration } from "../schema/values/duration.ts";
import { formatIp, parseIpSloppy, unmap } from "../schema/values/ip.ts";
import { quote } from "../schema/values/quote.ts";
import { readCsv, writeCsv } from "./csv.ts";

/** One flag of a command; its name is its key in the command's `flags`. */
export interface Flag<T = unknown> {
  /** The type of the value, for help. */
  readonly type: string;
  /** What it does; a word in `back quotes` names the value in help. */
  readonly usage: string;
  readonly default: T;
  /** One letter for use after a single dash. */
  readonly short?: string;
  /** The value of `--flag` without one; if absent, a value is required. */
  readonly implied?: string;
  /** The heading in help. */
  readonly section?: string;
  /** Whether help leaves it out; deprecated flags are left out unless this is false. */
  readonly hidden?: boolean;
  /** A warning that is printed when the flag is used. */
  readonly deprecated?: string;
  /** Parses one occurrence; `before` is the value of earlier ones. Throws an Error with the reason. */
  read(text: string, before: T | undefined): T;
  /** Formats a value as it is given, where its type does not tell how. */
  format?(value: T): string;
  /** The default that help shows; empty for a zero value. */
  readonly shownDefault: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** The parsed values of a set of flags. */
export type Values<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never;
};

type Options<T> = Pick<Flag<T>, "usage" | "default"> &
  Partial<Pick<Flag<T>, "short" | "section" | "hidden" | "deprecated">>;
/** The options of a type with a zero value, which is the default. */
type OptionsWithZero<T> = Omit<Options<T>, "default"> & { readonly default?: T };

export function stringFlag(options: OptionsWithZero<string>): Flag<string> {
  const value = options.default ?? "";
  return {
    ...options,
    type: "string",
    default: value,
    read: (text) => text,
    shownDefault: value === "" ? "" : quote(value),
  };
}

/** A flag whose value has its own notation; `show` formats the default for help. */
export function valueFlag<T>(
  options: Options<T> & Pick<Flag<T>, "type" | "read"> & { readonly show: (value: T) => string },
): Flag<T> {
  const { show, ...rest } = options;
  return { ...rest, shownDefault: show(options.default) };
}

/** An IP address; leading zeros are ignored, as pflag does. */
export function ipFlag(options: OptionsWithZero<string>): Flag<string> {
  return {
    ...stringFlag(options),
    type: "ip",
    read(text) {
      if (text === "") return text;
      const ip = parseIpSloppy(text.trim());
      if (ip === undefined) throw new Error(`failed to parse IP: ${quote(text)}`);
      return formatIp(unmap(ip));
    },
    shownDefault: options.default ?? "",
  };
}

/** A string with a fixed set of choices. */
export function choiceFlag<const C extends string>(
  options: Options<C> & { readonly choices: readonly C[] },
): Flag<C> {
  const { choices, ...rest } = options;
  return {
    ...rest,
    type: "string",
    read(text) {
      const choice = choices.find((candidate) => candidate === text);
      if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}`);
      return choice;
    },
    shownDefault: quote(options.default),
  };
}

export function boolFlag(options: OptionsWithZero<boolean>): Flag<boolean> {
  return {
    ...options,
    type: "",
    default: options.default ?? false,
    implied: "true",
    read(text) {
      const value = booleans.get(text);
      if (value === undefined) throw syntaxError("ParseBool", text);
      return value;
    },
    shownDefault: options.default === true ? "true" : "",
  };
}

export function intFlag(options: OptionsWithZero<number>): Flag<number> {
  const value = options.default ?? 0;
  return {
    ...options,
    type: "int",
    default: value,
    read: readInt,
    shownDefault: value === 0 ? "" : String(value),
  };
}

export function floatFlag(options: OptionsWithZero<number>): Flag<number> {
  const value = options.default ?? 0;
  return {
    ...options,
    type: "float",
    default: value,
    read(text) {
      if (!decimal.test(text)) throw syntaxError("ParseFloat", text);
      return Number(text);
    },
    shownDefault: value === 0 ? "" : String(value),
  };
}

/** A duration in Go's notation (`1m30s`), parsed to milliseconds. */
export function durationFlag(options: OptionsWithZero<number>): Flag<number> {
  const value = options.default ?? 0;
  return {
    ...options,
    type: "duration",
    default: value,
    read: (text) => Number(parseDuration(text)) / 1e6,
    shownDefault: value === 0 ? "" : formatDuration(BigInt(Math.round(value * 1e6))),
  };
}

/** Values separated by commas; each occurrence appends. */
export function stringsFlag(options: OptionsWithZero<readonly string[]>): Flag<readonly string[]> {
  return listFlag(options, "strings", readCsv);
}

/** One value per occurrence, which may contain commas. */
export function stringArrayFlag(
  options: OptionsWithZero<readonly string[]>,
): Flag<readonly string[]> {
  return listFlag(options, "stringArray", (text) => [text]);
}

/** `key=value` pairs separated by commas; each occurrence adds to the earlier ones. */
export function pairsFlag(
  options: OptionsWithZero<ReadonlyMap<string, string>>,
): Flag<ReadonlyMap<string, string>> {
  const value = options.default ?? new Map<string, string>();
  const shown = writeCsv([...value].map(([key, member]) => `${key}=${member}`));
  return {
    ...options,
    type: "stringToString",
    default: value,
    read: (text, before) => new Map([...(before ?? []), ...readPairs(text)]),
    shownDefault: value.size === 0 ? "" : `[${shown}]`,
  };
}

/** One `key=value` pair per occurrence, whose value may contain commas. */
export function pairFlag(
  options: OptionsWithZero<ReadonlyMap<string, string>>,
): Flag<ReadonlyMap<string, string>> {
  return {
    ...pairsFlag(options),
    type: "mapStringString",
    read(text, before) {
      const [, key, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (key === undefined || value === undefined)
        throw new Error("malformed pair, expect string=string");
      return new Map([...(before ?? []), [key.trim(), value.trim()]]);
    },
  };
}

function listFlag(
  options: OptionsWithZero<readonly string[]>,
  type: string,
  split: (text: string) => readonly string[],
): Flag<readonly string[]> {
  const value = options.default ?? [];
  return {
    ...options,
    type,
    default: value,
    read: (text, before) => [...(before ?? []), ...split(text)],
    shownDefault: value.length === 0 ? "" : `[${writeCsv(value)}]`,
  };
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

const decimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** Decimal, or with Go's prefixes 0x, 0o, 0b and 0, with underscores between digits. */
const integer =
  /^[-+]?(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])*|[1-9](?:_?[0-9])*)$/;

function readInt(text: string): number {
  if (!integer.test(text) || /^[-+]?0[oO]$/.test(text)) throw syntaxError("ParseInt", text);
  const digits = text
    .replaceAll("_", "")
    .replace(/^[-+]/, "")
    .replace(/^0(?=[0-7])/, "0o");
  const value = Number(digits) * (text.startsWith("-") ? -1 : 1);
  if (!Number.isSafeInteger(value)) {
    throw new Error(`strconv.ParseInt: parsing ${quote(text)}: value out of range`);
  }
  return value === 0 ? 0 : value;
}

function readPairs(text: string): (readonly [string, string])[] {
  const pairs = text.split("=").length > 2 ? readCsv(text) : [text.replaceAll(/^"+|"+$/g, "")];
  return pairs.map((pair) => {
    const equals = pair.indexOf("=");
    if (equals < 0) throw new Error(`${pair} must be formatted as key=value`);
    return [pair.slice(0, equals), pair.slice(equals + 1)] as const;
  });
}

function syntaxError(reader: string, text: string): Error {
  return new Error(`strconv.${reader}: parsing ${quote(text)}: invalid syntax`);
}
