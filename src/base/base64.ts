/** Decodes standard base64; throws a SyntaxError with Go's words. Line breaks are skipped. */
export function decodeBase64(text: string): Uint8Array {
  return decodeDigits(isCanonical(text) ? text : checked(text));
}

/** Decodes base64 as it stands in URLs, not padded; throws a SyntaxError with Go's words. */
export function decodeBase64Url(text: string): Uint8Array {
  const wrong = text.search(/[^A-Za-z0-9_\-\r\n]/);
  if (wrong >= 0) throw illegal(new TextEncoder().encode(text.slice(0, wrong)).length);
  const digits = text
    .replaceAll(/[\r\n]/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  if (digits.length % 4 === 1) throw illegal(text.length - 1);
  return decodeDigits(digits.padEnd(Math.ceil(digits.length / 4) * 4, "="));
}

/** Encodes bytes as base64 for URLs, not padded. */
export const encodeBase64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Encodes bytes as standard base64, padded. */
export function encodeBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const bits = (byteAt(bytes, i) << 16) | (byteAt(bytes, i + 1) << 8) | byteAt(bytes, i + 2);
    out[at++] = codes[bits >> 18] as number;
    out[at++] = codes[(bits >> 12) & 63] as number;
    out[at++] = codes[(bits >> 6) & 63] as number;
    out[at++] = codes[bits & 63] as number;
  }
  const padding = (3 - (bytes.length % 3)) % 3;
  if (padding > 0) out.fill(pad, out.length - padding);
  return ascii.decode(out);
}

/** The string Go would write for the same bytes; throws as `decodeBase64` does. */
export function canonicalBase64(text: string): string {
  return isCanonical(text) ? text : encodeBase64(decodeBase64(text));
}

/** How many bytes canonical base64 stands for. */
export function decodedSize(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const pad = 0x3d;
const none = 0xff;
const ascii = new TextDecoder();

const codes = new TextEncoder().encode(alphabet);
const values = new Uint8Array(128).fill(none);
for (const [value, code] of codes.entries()) values[code] = value;

/** Bits that belong to no byte must be zero. */
const canonical = /^[A-Za-z0-9+/]*(?:[AEIMQUYcgkosw048]=|[AQgw]==)?$/;

function isCanonical(text: string): boolean {
  return text.length % 4 === 0 && canonical.test(text);
}

function byteAt(bytes: Uint8Array, index: number): number {
  return index < bytes.length ? (bytes[index] as number) : 0;
}

/** Decodes whole groups of four digits; what padding would add is cut off. */
function decodeDigits(text: string): Uint8Array {
  const bytes = new Uint8Array((text.length / 4) * 3);
  let at = 0;
  for (let i = 0; i < text.length; i += 4) {
    const bits =
      (valueAt(text, i) << 18) |
      (valueAt(text, i + 1) << 12) |
      (valueAt(text, i + 2) << 6) |
      valueAt(text, i + 3);
    bytes[at++] = bits >> 16;
    bytes[at++] = bits >> 8;
    bytes[at++] = bits;
  }
  return bytes.subarray(0, decodedSize(text));
}

function valueAt(text: string, index: number): number {
  return (values[text.charCodeAt(index)] as number) & 63;
}

/** The text without line breaks; throws where Go's decoder would stop. */
function checked(text: string): string {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 128 && values[code] !== none) digits++;
    else if (code === pad) {
      checkPadding(text, i, digits % 4);
      digits = 0;
      break;
    } else if (!isBreak(code)) throw illegal(i);
  }
  if (digits % 4 > 0) throw illegal(text.length - (digits % 4));
  return text.replaceAll(/[\r\n]/g, "");
}

/** After two digits there must be two of them, after three one; and nothing behind. */
function checkPadding(text: string, first: number, digits: number): void {
  if (digits < 2) throw illegal(first);
  let at = skipBreaks(text, first + 1);
  if (digits === 2) {
    if (at === text.length) throw illegal(text.length);
    if (text.charCodeAt(at) !== pad) throw illegal(at - 1);
    at = skipBreaks(text, at + 1);
  }
  if (at < text.length) throw illegal(at);
}

function skipBreaks(text: string, at: number): number {
  let next = at;
  while (isBreak(text.charCodeAt(next))) next++;
  return next;
}

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function illegal(at: number): SyntaxError {
  return new SyntaxError(`illegal base64 data at input byte ${at}`);
}
