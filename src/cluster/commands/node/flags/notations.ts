import { boolFlag } from "../../../../cli/flag.ts";
import { setMember } from "../../../../schema/json/strict-json.ts";
import { parseIpSloppy } from "../../../../schema/values/ip.ts";
import { canonicalQuantity } from "../../../../schema/values/quantity.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { Notation } from "./config-flag.ts";

type Pairs<T> = Readonly<Record<string, T>>;

/** Pairs as they are given, in the order of their keys. */
export const formatPairs = (pairs: Pairs<unknown> | undefined, separator: string): string =>
  Object.entries(pairs ?? {})
    .map(([key, value]) => `${key}${separator}${value}`)
    .sort()
    .join(",");

/** An IP address, kept as it was given; an empty one changes nothing. */
export const ipNotation: Notation = {
  type: "ip",
  read(text, before) {
    if (text === "") return before;
    if (parseIpSloppy(text) === undefined)
      throw new Error(`${quote(text)} is not a valid IP address`);
    return text;
  },
};

/** Pairs like `memory.available<100Mi`, separated by commas; each occurrence adds to the earlier ones. */
export const pairsNotation = (separator: "=" | "<"): Notation => ({
  type: "mapStringString",
  read: (text, before) =>
    withPairs(before, text.split(","), (pair) => {
      const [key, value] = keyAndValue(pair, separator, "string");
      return [key, value];
    }),
  format: (value) => formatPairs(value as Pairs<string>, separator),
});

/** One pair for each occurrence, which may contain commas. */
export const onePairNotation: Notation = {
  type: "mapStringString",
  read: (text, before) =>
    withPairs(before, [text], (pair) => keyAndValue(pair, "=", "string"), true),
  format: (value) => formatPairs(value as Pairs<string>, "="),
};

/** Feature gates. */
export const gatesNotation: Notation = {
  type: "mapStringBool",
  read: (text, before) =>
    withPairs(before, text.split(","), (pair) => {
      const [key, value] = keyAndValue(pair, "=", "bool");
      try {
        return [key, boolFlag({ usage: "" }).read(value, undefined)];
      } catch (error) {
        throw new Error(`invalid value of ${key}: ${value}, err: ${(error as Error).message}`);
      }
    }),
  format: (value) => formatPairs(value as Pairs<boolean>, "="),
};

/** HTTP headers; their values may be secret, and are not shown. */
export const headersNotation: Notation = {
  type: "colonSeparatedMultimapStringString",
  read(text, before) {
    const headers: Record<string, readonly string[]> = { ...(before as Pairs<readonly string[]>) };
    for (const pair of text.split(",").filter((part) => part !== "")) {
      const [key, value] = keyAndValue(pair, ":", "string");
      setMember(headers, key, [
        ...(Object.hasOwn(headers, key) ? (headers[key] ?? []) : []),
        value,
      ]);
    }
    return headers;
  },
  format: (value) =>
    Object.keys((value ?? {}) as object)
      .sort()
      .map((name) => `${name}:<masked>`)
      .join(","),
};

/** A log level. */
export const verbosityNotation: Notation = {
  type: "Level",
  short: "v",
  read: (text) => unsigned31(text),
};

/** Log levels of source files; each occurrence adds to the earlier ones. */
export const vmoduleNotation: Notation = {
  type: "pattern=N,...",
  read(text, before) {
    const items = text.split(",").filter((item) => item !== "");
    const added = items.map((item) => {
      const [filePattern = "", level = "", ...more] = item.split("=");
      if (filePattern === "" || level === "" || more.length > 0)
        throw new Error(`${quote(item)} does not have the pattern=N format`);
      try {
        return { filePattern, verbosity: unsigned31(level) };
      } catch (error) {
        throw new Error(`parsing verbosity in ${quote(item)}: ${(error as Error).message}`);
      }
    });
    return [...((before as readonly object[] | undefined) ?? []), ...added];
  },
  format: (value) =>
    ((value ?? []) as readonly { filePattern: string; verbosity: number }[])
      .map(({ filePattern, verbosity }) => `${filePattern}=${verbosity}`)
      .join(","),
};

export const quantityNotation: Notation = {
  type: "quantity",
  read: (text) => canonicalQuantity(text),
};

function withPairs<T>(
  before: unknown,
  parts: readonly string[],
  read: (pair: string) => readonly [string, T],
  keepsEmpty = false,
): Pairs<T> {
  const pairs: Record<string, T> = { ...(before as Pairs<T>) };
  for (const part of parts) {
    if (part === "" && !keepsEmpty) continue;
    const [key, value] = read(part);
    setMember(pairs, key, value);
  }
  return pairs;
}

function keyAndValue(pair: string, separator: string, type: string): readonly [string, string] {
  const at = pair.indexOf(separator);
  if (at < 0) throw new Error(`malformed pair, expect string${separator}${type}`);
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

function unsigned31(text: string): number {
  const problem = (what: string) => new Error(`strconv.ParseUint: parsing ${quote(text)}: ${what}`);
  if (!/^\d+$/.test(text)) throw problem("invalid syntax");
  if (Number(text) >= 2 ** 31) throw problem("value out of range");
  return Number(text);
}
