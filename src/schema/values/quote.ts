/** Quotes a string as Go's `%q` does: the form in which clients see values in messages. */
export function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += printable.test(char) ? char : escaped(char);
  return `${out}"`;
}

/** Quotes a string as Go's time package does, which shows each byte beyond ASCII. */
export function quoteBytes(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let out = '"';
  for (const byte of new TextEncoder().encode(text)) {
    const char = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) out += `\\x${byte.toString(16).padStart(2, "0")}`;
    else out += char === '"' || char === "\\" ? `\\${char}` : char;
  }
  return `${out}"`;
}

const plain = /^[ !#-[\]-~]*$/;
const printable = /^[ !#-[\]-~]$|^[^\p{ASCII}\p{C}\p{Z}]$/u;

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

function escaped(char: string): string {
  const known = short[char];
  if (known !== undefined) return known;
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
