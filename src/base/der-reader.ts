/** Malformed DER, with the message of Go's ASN.1 decoder. */
export class DerError extends Error {
  override readonly name = "DerError";
}
export const syntaxError = (text: string): DerError => new DerError(`asn1: syntax error: ${text}`);
export const structureError = (text: string): DerError =>
  new DerError(`asn1: structure error: ${text}`);

/** An element of DER: its tag, and the offsets of its header, content and end. */
export interface Element {
  readonly bytes: Uint8Array;
  /** 0 universal, 2 context-specific. */
  readonly class: number;
  readonly tag: number;
  readonly isCompound: boolean;
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

/** The element that a reader expects; the error for another one names `goType`. */
export interface Expected {
  readonly tag: number;
  readonly class?: number;
  readonly isCompound?: boolean;
  readonly goType: string;
}

export const tags = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  null: 5,
  oid: 6,
  utf8String: 12,
  sequence: 16,
  set: 17,
  printableString: 19,
  ia5String: 22,
  utcTime: 23,
  generalizedTime: 24,
} as const;

export const contentOf = ({ bytes, content, end }: Element): Uint8Array =>
  bytes.subarray(content, end);
export const wholeOf = ({ bytes, start, end }: Element): Uint8Array => bytes.subarray(start, end);

/** Reads the elements of DER one after the other. */
export class DerReader {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#start = at;
    this.#at = at;
    this.#end = end;
  }

  static inside({ bytes, content, end }: Element): DerReader {
    return new DerReader(bytes, content, end);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** The next element, whatever it is. */
  any(): Element {
    if (this.isAtEnd) throw syntaxError("sequence truncated");
    const { length, ...header } = readHeader(this.#bytes, this.#at, this.#end);
    const end = header.content + length;
    if (end > this.#end) throw syntaxError("data truncated");
    const element = { bytes: this.#bytes, ...header, start: this.#at, end };
    this.#at = end;
    return element;
  }

  /** The elements that are left, which must all be compound and have this tag. */
  allOf(tag: number): Element[] {
    const elements: Element[] = [];
    while (!this.isAtEnd) {
      const header = readHeader(this.#bytes, this.#at, this.#end);
      if (header.class !== 0 || header.tag !== tag || !header.isCompound)
        throw structureError("sequence tag mismatch");
      if (header.content + header.length > this.#end) throw syntaxError("truncated sequence");
      elements.push(this.any());
    }
    return elements;
  }

  /** The next element; throws where it is not the expected one. */
  element({ tag, class: tagClass = 0, isCompound = false, goType }: Expected): Element {
    if (this.isAtEnd) throw syntaxError("sequence truncated");
    const header = readHeader(this.#bytes, this.#at, this.#end);
    if (header.tag !== tag || header.class !== tagClass || header.isCompound !== isCompound)
      throw mismatch(tag, { ...header, content: header.content - this.#start }, goType);
    return this.any();
  }

  sequence(goType: string): Element {
    return this.element({ tag: tags.sequence, isCompound: true, goType });
  }

  integer(goType: string): bigint {
    return integerOf(this.element({ tag: tags.integer, goType }));
  }

  oid(): string {
    return oidOf(contentOf(this.element({ tag: tags.oid, goType: "ObjectIdentifier" })));
  }

  bitString(): Uint8Array {
    return bitsOf(contentOf(this.element({ tag: tags.bitString, goType: "BitString" })));
  }

  /** The next element if it has this context-specific tag. */
  optional(tag: number): Element | undefined {
    if (this.isAtEnd) return undefined;
    const header = readHeader(this.#bytes, this.#at, this.#end);
    return header.class === 2 && header.tag === tag ? this.any() : undefined;
  }

  /** Whether the next element has this universal tag. */
  isNext(tag: number): boolean {
    if (this.isAtEnd) return false;
    const header = readHeader(this.#bytes, this.#at, this.#end);
    return header.class === 0 && header.tag === tag;
  }

  /** All elements that are left. */
  rest(): Element[] {
    const elements: Element[] = [];
    while (!this.isAtEnd) elements.push(this.any());
    return elements;
  }
}

/** The value of an INTEGER. */
export function integerOf(element: Element): bigint {
  const bytes = contentOf(element);
  const [first = 0, second = 0] = bytes;
  if (bytes.length === 0) throw structureError("empty integer");
  if (bytes.length > 1 && (first === 0 ? second < 0x80 : first === 0xff && second >= 0x80))
    throw structureError("integer not minimally-encoded");
  const value = bigintOf(bytes);
  return first >= 0x80 ? value - (1n << BigInt(bytes.length * 8)) : value;
}

/** A big-endian unsigned number. */
export function bigintOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

/** The dotted form of an OBJECT IDENTIFIER. */
export function oidOf(bytes: Uint8Array): string {
  if (bytes.length === 0) throw syntaxError("zero length OBJECT IDENTIFIER");
  const arcs: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, next } = base128(bytes, at, bytes.length);
    arcs.push(value);
    at = next;
  }
  const [first = 0, ...others] = arcs;
  const top = Math.min(Math.floor(first / 40), 2);
  return [top, first - top * 40, ...others].join(".");
}

function bitsOf(bytes: Uint8Array): Uint8Array {
  const [padding] = bytes;
  if (padding === undefined) throw syntaxError("zero length BIT STRING");
  const last = bytes.at(-1) ?? 0;
  if (padding > 7 || (bytes.length === 1 && padding > 0) || (last & ((1 << padding) - 1)) !== 0)
    throw syntaxError("invalid padding bits in BIT STRING");
  return bytes.subarray(1);
}

interface Header {
  readonly class: number;
  readonly tag: number;
  readonly isCompound: boolean;
  readonly length: number;
  readonly content: number;
}

function readHeader(bytes: Uint8Array, start: number, limit: number): Header {
  const first = bytes[start] ?? 0;
  let tag = first & 0x1f;
  let at = start + 1;
  if (tag === 0x1f) {
    const { value, next } = base128(bytes, at, limit);
    if (value < 0x1f) throw syntaxError("non-minimal tag");
    tag = value;
    at = next;
  }
  const { length, next } = readLength(bytes, at, limit);
  return { class: first >> 6, tag, isCompound: (first & 0x20) !== 0, length, content: next };
}

function readLength(
  bytes: Uint8Array,
  start: number,
  limit: number,
): { readonly length: number; readonly next: number } {
  if (start >= limit) throw syntaxError("truncated tag or length");
  const first = bytes[start] ?? 0;
  if (first < 0x80) return { length: first, next: start + 1 };
  const count = first & 0x7f;
  if (count === 0) throw syntaxError("indefinite length found (not DER)");
  let length = 0;
  for (let i = 1; i <= count; i++) {
    if (start + i >= limit) throw syntaxError("truncated tag or length");
    if (length >= 1 << 23) throw structureError("length too large");
    length = length * 256 + (bytes[start + i] ?? 0);
    if (length === 0) throw structureError("superfluous leading zeros in length");
  }
  if (length < 0x80) throw structureError("non-minimal length");
  return { length, next: start + 1 + count };
}

function base128(
  bytes: Uint8Array,
  start: number,
  limit: number,
): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let at = start; at < limit; at++) {
    if (at - start === 5) throw structureError("base 128 integer too large");
    const byte = bytes[at] ?? 0;
    if (at === start && byte === 0x80) throw syntaxError("integer is not minimally encoded");
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (value > 0x7fffffff) throw structureError("base 128 integer too large");
    return { value, next: at + 1 };
  }
  throw syntaxError("truncated base 128 integer");
}

const parameters =
  "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}";

/** The error for an unexpected element; its offset counts from the start of the enclosing element. */
function mismatch(expected: number, header: Header, goType: string): DerError {
  const { class: tagClass, tag, length, isCompound, content } = header;
  const found = `{class:${tagClass} tag:${tag} length:${length} isCompound:${isCompound}}`;
  return structureError(
    `tags don't match (${expected} vs ${found}) ${parameters} ${goType} @${content}`,
  );
}
