/** Reads the inside of a literal in Go's syntax; throws as strconv does: `invalid syntax`. */
export function unescapeGo(inside: string, mark: string): string {
  const bytes: number[] = [];
  for (let i = 0; i < inside.length; ) {
    const char = String.fromCodePoint(inside.codePointAt(i) ?? 0);
    if (char === mark) throw new SyntaxError("invalid syntax");
    if (char !== "\\") {
      bytes.push(...encoder.encode(char));
      i += char.length;
      continue;
    }
    const read = readEscape(inside.slice(i), mark);
    bytes.push(...read.bytes);
    i += read.length;
  }
  return decoder.decode(Uint8Array.from(bytes));
}

/** Reads a string literal in double quotes or back quotes; throws as strconv does. */
export function unquoteGo(literal: string): string {
  const mark = literal[0] ?? "";
  const inside = literal.slice(1, -1);
  if (mark === "`") return inside.replaceAll("\r", "");
  if (inside.includes("\n")) throw new SyntaxError("invalid syntax");
  return unescapeGo(inside, mark);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

interface Escape {
  readonly bytes: Iterable<number>;
  readonly length: number;
}

function readEscape(text: string, mark: string): Escape {
  const letter = text[1] ?? "";
  const simple = simpleEscapes.get(letter);
  if (simple !== undefined) return { bytes: [simple], length: 2 };
  if (letter === mark && (mark === '"' || mark === "'"))
    return { bytes: encoder.encode(letter), length: 2 };
  const [, octal, hex, code] =
    /^\\(?:([0-7]{3})|x([\da-fA-F]{2})|(?:u([\da-fA-F]{4})|U[\da-fA-F]{8}))/.exec(text) ?? [];
  if (octal !== undefined) return byteEscape(Number.parseInt(octal, 8), 4);
  if (hex !== undefined) return byteEscape(Number.parseInt(hex, 16), 4);
  const long = /^\\U([\da-fA-F]{8})/.exec(text)?.[1];
  const point = Number.parseInt(code ?? long ?? "", 16);
  const valid = point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000);
  if (!valid) throw new SyntaxError("invalid syntax");
  return { bytes: encoder.encode(String.fromCodePoint(point)), length: long ? 10 : 6 };
}

function byteEscape(byte: number, length: number): Escape {
  if (byte > 255) throw new SyntaxError("invalid syntax");
  return { bytes: [byte], length };
}

const simpleEscapes: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
  ["\\", 92],
]);
