import { endOfText, fixedTokens, type Token, tokenType } from "./token.ts";

/** Reads tokens one after the other, white space and comments among them; at the end, the end again. */
export type Lexer = () => Token;

/**
 * Cuts a text into tokens, always the longest. What begins no token is told to `fail` and skipped:
 * everything up to the character that did not fit, and that one too.
 */
export function createLexer(
  characters: readonly string[],
  fail: (offset: number, message: string) => void,
): Lexer {
  let offset = 0;
  return function next(): Token {
    while (offset < characters.length) {
      const start = offset;
      const scan = scanToken(characters, start);
      if (scan.type !== undefined) {
        offset = scan.end;
        return { type: scan.type, text: text(start, offset), start, end: offset };
      }
      offset = Math.min(scan.end + 1, characters.length);
      fail(start, `token recognition error at: '${text(start, offset)}'`);
    }
    return { type: endOfText, text: "<EOF>", start: offset, end: offset };
  };
  function text(start: number, end: number): string {
    return characters.slice(start, end).join("");
  }
}

/** Whether the grammar never sees a token. */
export function isHidden(token: Token): boolean {
  return token.type === whiteSpace || token.type === comment;
}

/** A token and its end; without a type nothing fits, and `end` is where it stopped fitting. */
interface Scan {
  readonly type?: number;
  readonly end: number;
}

const whiteSpace = tokenType("WHITESPACE");
const comment = tokenType("COMMENT");

function scanToken(characters: readonly string[], start: number): Scan {
  const first = characters[start] ?? "";
  const second = characters[start + 1] ?? "";
  if (isSpace(first)) return { type: whiteSpace, end: skip(characters, start, isSpace) };
  if (first === "/" && second === "/") {
    return { type: comment, end: skip(characters, start, (character) => character !== "\n") };
  }
  if (isDigit(first) || (first === "." && isDigit(second))) return scanNumber(characters, start);
  if (isNameStart(first)) return scanName(characters, start);
  if (isQuote(first)) {
    const string = scanString(characters, start, false);
    return string.closed ? { type: tokenType("STRING"), end: string.end } : { end: string.end };
  }
  if (first === "`") return scanQuotedName(characters, start);
  const pair = fixedTokens.get(first + second);
  if (pair !== undefined && second !== "") return { type: pair, end: start + 2 };
  const single = fixedTokens.get(first);
  if (single !== undefined) return { type: single, end: start + 1 };
  return { end: "&|=".includes(first) ? start + 1 : start };
}

function scanNumber(characters: readonly string[], start: number): Scan {
  const [first = "", second = "", third = ""] = characters.slice(start, start + 3);
  const hex = first === "0" && second === "x" && isHexDigit(third);
  let end = hex ? skip(characters, start + 2, isHexDigit) : skip(characters, start, isDigit);
  if (!hex) {
    const whole = end;
    if (characters[end] === "." && isDigit(characters[end + 1] ?? "")) {
      end = skip(characters, end + 1, isDigit);
    }
    end = skipExponent(characters, end);
    if (end > whole) return { type: tokenType("NUM_FLOAT"), end };
  }
  const after = characters[end];
  if (after === "u" || after === "U") return { type: tokenType("NUM_UINT"), end: end + 1 };
  return { type: tokenType("NUM_INT"), end };
}

function skipExponent(characters: readonly string[], start: number): number {
  const mark = characters[start];
  if (mark !== "e" && mark !== "E") return start;
  const sign = characters[start + 1];
  const digits = sign === "+" || sign === "-" ? start + 2 : start + 1;
  return isDigit(characters[digits] ?? "") ? skip(characters, digits, isDigit) : start;
}

/** A name, a word of the language, or a string with letters before it. */
function scanName(characters: readonly string[], start: number): Scan {
  const [first = "", second = ""] = characters.slice(start, start + 2);
  const bytes = first === "b" || first === "B";
  const rawAt = bytes ? start + 1 : start;
  const raw = "rR".includes(bytes ? second : first) && (bytes ? second : first) !== "";
  const quote = raw ? rawAt + 1 : rawAt;
  if ((bytes || raw) && isQuote(characters[quote] ?? "")) {
    const string = scanString(characters, quote, raw);
    if (string.closed) return { type: tokenType(bytes ? "BYTES" : "STRING"), end: string.end };
  }
  const end = skip(characters, start, isNamePart);
  const word = fixedTokens.get(characters.slice(start, end).join(""));
  return { type: word ?? tokenType("IDENTIFIER"), end };
}

function scanQuotedName(characters: readonly string[], start: number): Scan {
  const end = skip(
    characters,
    start + 1,
    (character) => isNamePart(character) || ".-/ ".includes(character),
  );
  if (end === start + 1 || characters[end] !== "`") return { end };
  return { type: tokenType("ESC_IDENTIFIER"), end: end + 1 };
}

/** The end of the string whose first quote is at `start`; if it is not closed, where it went wrong. */
function scanString(
  characters: readonly string[],
  start: number,
  raw: boolean,
): { closed: boolean; end: number } {
  const quote = characters[start] ?? "";
  const isTriple = [1, 2].every((step) => characters[start + step] === quote);
  const string = scanUntil(characters, start, {
    closing: quote.repeat(isTriple ? 3 : 1),
    raw,
  });
  // Two quotes of the three that began it are a whole string too.
  return isTriple && !string.closed ? { closed: true, end: start + 2 } : string;
}

function scanUntil(
  characters: readonly string[],
  start: number,
  { closing, raw }: { closing: string; raw: boolean },
): { closed: boolean; end: number } {
  let end = start + closing.length;
  while (characters.slice(end, end + closing.length).join("") !== closing) {
    const character = characters[end];
    if (character === undefined) return { closed: false, end };
    if (closing.length === 1 && isLineEnd(character)) return { closed: false, end };
    const escaped = character === "\\" && !raw ? scanEscape(characters, end) : undefined;
    if (escaped?.fits === false) return { closed: false, end: escaped.end };
    end = escaped?.end ?? end + 1;
  }
  return { closed: true, end: end + closing.length };
}

/** The end of an escape; if it is none, where it stopped being one. */
function scanEscape(characters: readonly string[], start: number): { fits: boolean; end: number } {
  const letter = characters[start + 1] ?? "";
  if (letter !== "" && "abfnrtv\"'\\?`".includes(letter)) return { fits: true, end: start + 2 };
  const hex = { x: 2, X: 2, u: 4, U: 8 }[letter];
  const octal = letter >= "0" && letter <= "3" && letter.length === 1;
  if (hex === undefined && !octal) return { fits: false, end: start + 1 };
  const isPart = octal ? (digit: string) => digit >= "0" && digit <= "7" : isHexDigit;
  const last = start + 2 + (hex ?? 2);
  for (let offset = start + 2; offset < last; offset++) {
    if (!isPart(characters[offset] ?? "")) return { fits: false, end: offset };
  }
  return { fits: true, end: last };
}

function skip(
  characters: readonly string[],
  start: number,
  fits: (character: string) => boolean,
): number {
  let end = start;
  while (end < characters.length && fits(characters[end] ?? "")) end++;
  return end;
}

const isSpace = (character: string): boolean => /^[\t \r\n\f]$/.test(character);
const isLineEnd = (character: string): boolean => character === "\n" || character === "\r";
const isQuote = (character: string): boolean => character === '"' || character === "'";
const isDigit = (character: string): boolean => /^[0-9]$/.test(character);
const isHexDigit = (character: string): boolean => /^[0-9a-fA-F]$/.test(character);
const isNameStart = (character: string): boolean => /^[A-Za-z_]$/.test(character);
const isNamePart = (character: string): boolean => /^[A-Za-z0-9_]$/.test(character);
