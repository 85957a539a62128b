/** Writes DER, the encoding of certificates: every function returns one complete element. */

/** A SEQUENCE of the given elements. */
export function sequence(...elements: readonly Uint8Array[]): Buffer {
  return element(0x30, Buffer.concat(elements));
}

/** A SET of the given elements, in the order DER demands. */
export function set(...elements: readonly Uint8Array[]): Buffer {
  return element(0x31, Buffer.concat([...elements].sort(Buffer.compare)));
}

/** An INTEGER from a number, or from the big-endian bytes of a number that is not negative. */
export function integer(value: number | Uint8Array): Buffer {
  return element(0x02, typeof value === "number" ? signedBytes(value) : unsignedBytes(value));
}

/** A BOOLEAN. */
export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.of(value ? 0xff : 0));
}

/** NULL. */
export function nothing(): Buffer {
  return element(0x05, Buffer.alloc(0));
}

/** An OBJECT IDENTIFIER in dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** A UTF8String. */
export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text, "utf8"));
}

/** A BIT STRING whose last byte has `unusedBits` unused bits. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.of(unusedBits), bytes]));
}

/** A BIT STRING of named bits: bit 0 is the first, and trailing zeros are left out. */
export function namedBits(bits: readonly number[]): Buffer {
  if (bits.length === 0) return bitString(Buffer.alloc(0));
  const last = Math.max(...bits);
  const bytes = Buffer.alloc((last >> 3) + 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (last & 7));
}

/** An OCTET STRING. */
export function octetString(bytes: Uint8Array): Buffer {
  return element(0x04, bytes);
}

/** A Time as certificates write it: UTCTime up to the year 2049, GeneralizedTime after; seconds are whole. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  const year = date.getUTCFullYear();
  if (year < 1950 || year > 9999) throw new Error(`a certificate cannot hold the year ${year}`);
  return year < 2050
    ? element(0x17, Buffer.from(digits.slice(2), "latin1"))
    : element(0x18, Buffer.from(digits, "latin1"));
}

/** An element tagged by its context; `constructed` means that the content consists of elements. */
export function contextTag(number: number, content: Uint8Array, constructed: boolean): Buffer {
  return element(0x80 | (constructed ? 0x20 : 0) | number, content);
}

function element(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(tag), lengthBytes(content.length), content]);
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = bigEndian(length);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function bigEndian(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

function signedBytes(value: number): Buffer {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`not a DER number: ${value}`);
  return unsignedBytes(Buffer.from(bigEndian(value)));
}

/** Shortest form: no leading zeros but the one that keeps the number positive. */
function unsignedBytes(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  const needsZero = digits.length === 0 || (digits[0] ?? 0) >= 0x80;
  return Buffer.concat(needsZero ? [Buffer.of(0), digits] : [digits]);
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(0x80 | (rest % 128));
  }
  return bytes;
}
