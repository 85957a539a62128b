/** The value of a string as it is written, with its quotes; a text instead if it cannot be read. */
export function unquote(written: string): { value: string } | { error: string } {
  const { body, isRaw, error } = strip(written);
  if (error !== undefined) return { error };
  if (isRaw || !body.includes("\\")) return { value: body };
  let value = "";
  for (const part of parts(body)) {
    if ("error" in part) return part;
    if ("text" in part) value += part.text;
    else if (part.code > 0x10ffff || isSurrogate(part.code)) return { error: badCodePoint };
    else value += String.fromCodePoint(part.code);
  }
  return { value };
}

/** The value of bytes as they are written, without the letter that says that they are bytes. */
export function unquoteBytes(written: string): { value: Uint8Array } | { error: string } {
  const { body, isRaw, error } = strip(written);
  if (error !== undefined) return { error };
  if (isRaw || !body.includes("\\")) return { value: encoder.encode(body) };
  const bytes: number[] = [];
  for (const part of parts(body)) {
    if ("error" in part) return part;
    if ("text" in part) bytes.push(...encoder.encode(part.text));
    else if (part.isUnicode) return { error: badString };
    else bytes.push(part.code & 0xff);
  }
  return { value: Uint8Array.from(bytes) };
}

const encoder = new TextEncoder();
const badString = "unable to unescape string";
const badCodePoint = "invalid unicode code point";

function strip(written: string): { body: string; isRaw: boolean; error?: string } {
  const normal = written.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const isRaw = /^[rR]/.test(normal);
  const quoted = isRaw ? normal.slice(1) : normal;
  const quote = quoted[0] ?? "";
  const isQuoted = quoted.length >= 2 && quoted.endsWith(quote) && `"'`.includes(quote);
  if (!isQuoted) return { body: "", isRaw, error: badString };
  const triple = quote.repeat(3);
  const width = quoted.length >= 6 && quoted.startsWith(triple) ? 3 : 1;
  if (width === 3 && !quoted.endsWith(triple)) return { body: "", isRaw, error: badString };
  return { body: quoted.slice(width, -width), isRaw };
}

type Part =
  | { readonly text: string }
  | { readonly code: number; readonly isUnicode: boolean }
  | { readonly error: string };

const escapes =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|)/g;

const letters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

function* parts(body: string): Generator<Part> {
  let last = 0;
  for (const found of body.matchAll(escapes)) {
    const [whole, letter, byte, short, long, octal] = found;
    yield { text: body.slice(last, found.index) };
    last = found.index + whole.length;
    const unicode = short ?? long;
    if (letter !== undefined) yield { text: letters[letter] ?? letter };
    else if (octal !== undefined) yield { code: Number.parseInt(octal, 8), isUnicode: false };
    else if (byte !== undefined) yield { code: Number.parseInt(byte, 16), isUnicode: false };
    else if (unicode !== undefined) yield { code: Number.parseInt(unicode, 16), isUnicode: true };
    else yield { error: badString };
  }
  yield { text: body.slice(last) };
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
