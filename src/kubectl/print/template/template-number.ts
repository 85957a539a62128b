import { quote } from "../../../schema/values/quote.ts";
import { unescapeGo } from "./go-unquote.ts";

/** A constant of a template: an integer, or a float by its spelling. */
export interface TemplateNumber {
  readonly isFloat: boolean;
  readonly value: number | bigint;
}

/** Reads a number as Go spells it; throws a SyntaxError with its words. Complex numbers are not supported. */
export function readNumber(text: string): TemplateNumber {
  if (text.endsWith("i"))
    throw new SyntaxError(`complex numbers are not supported: ${quote(text)}`);
  if (integer.test(text) && !/^[-+]?0[oO]$/.test(text)) return readInteger(text);
  const value = readFloat(text);
  if (value === undefined) throw new SyntaxError(`illegal number syntax: ${quote(text)}`);
  if (!/[.eEpP]/.test(text)) throw new SyntaxError(`integer overflow: ${quote(text)}`);
  return { isFloat: true, value };
}

/** Reads a character in single quotes: its code. */
export function readCharacter(literal: string): TemplateNumber {
  const char = unescapeGo(literal.slice(1, -1), "'");
  if ([...char].length !== 1)
    throw new SyntaxError(
      char === "" ? "invalid syntax" : `malformed character constant: ${literal}`,
    );
  return { isFloat: false, value: char.codePointAt(0) ?? 0 };
}

const integer =
  /^[-+]?(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])*|[1-9](?:_?[0-9])*)$/;

function readInteger(text: string): TemplateNumber {
  const digits = text
    .replaceAll("_", "")
    .replace(/^[-+]/, "")
    .replace(/^0(?=[0-7])/, "0o");
  const value = BigInt(digits) * (text.startsWith("-") ? -1n : 1n);
  if (value > 0xffff_ffff_ffff_ffffn || value < -(1n << 63n))
    throw new SyntaxError(`integer overflow: ${quote(text)}`);
  return { isFloat: false, value: narrow(value) };
}

function readFloat(text: string): number | undefined {
  const hex = /^([-+]?)0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([-+]?\d+)$/.exec(text);
  if (hex) {
    const [, sign = "", whole = "", fraction = "", exponent = ""] = hex;
    if (whole + fraction === "") return undefined;
    const mantissa = Number(BigInt(`0x${whole}${fraction}`)) / 16 ** fraction.length;
    return mantissa * 2 ** Number(exponent) * (sign === "-" ? -1 : 1);
  }
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const narrow = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};
