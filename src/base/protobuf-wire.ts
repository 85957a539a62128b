/**
 * Protobuf's wire format, written back to front: a message's length is known when its fields have
 * been written, so nothing is measured twice or moved.
 */
export class BackwardWriter {
  #bytes: Uint8Array;
  #start: number;

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
    this.#start = capacity;
  }

  /** How many bytes have been written so far. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** A copy of the bytes written; the writer is empty afterwards. */
  finish(): Uint8Array {
    const written = this.#bytes.slice(this.#start);
    this.clear();
    return written;
  }

  clear(): void {
    this.#start = this.#bytes.length;
  }

  /** An unsigned number below 2^53. */
  varint(value: number): void {
    if (value < 0x80) {
      this.#room(1);
      this.#bytes[--this.#start] = value;
      return;
    }
    this.#room(10);
    const bytes = this.#bytes;
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) size++;
    this.#start -= size;
    let at = this.#start;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 0x80;
    bytes[at] = rest;
  }

  /** A signed integer, in 64-bit two's complement. */
  int64(value: number): void {
    if (value >= 0) {
      this.varint(value);
      return;
    }
    this.bigint64(BigInt(value));
  }

  /** A 64-bit integer, signed or not. */
  bigint64(value: bigint): void {
    const bytes: number[] = [];
    for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
      const low = Number(rest & 0x7fn);
      if (rest < 0x80n) {
        bytes.push(low);
        break;
      }
      bytes.push(low | 0x80);
    }
    this.raw(Uint8Array.from(bytes));
  }

  double(value: number): void {
    this.#room(8);
    this.#start -= 8;
    new DataView(this.#bytes.buffer, this.#bytes.byteOffset).setFloat64(this.#start, value, true);
  }

  string(text: string): void {
    const { length } = text;
    this.#room(length * 3 + 5);
    const at = this.#start - length;
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) {
        this.raw(encoder.encode(text));
        return;
      }
      bytes[at + i] = unit;
    }
    this.#start = at;
  }

  /** A string field. */
  text(tag: number, text: string): void {
    const mark = this.length;
    this.string(text);
    this.delimited(tag, mark);
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
  }

  /** Ends a field of known length: its length, then its tag, in front of what was written since `mark`. */
  delimited(tag: number, mark: number): void {
    this.varint(this.length - mark);
    this.tag(tag, 2);
  }

  tag(tag: number, wireType: number): void {
    this.varint(tag * 8 + wireType);
  }

  #room(size: number): void {
    if (this.#start >= size) return;
    const used = this.length;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, used + size));
    grown.set(this.#bytes.subarray(this.#start), grown.length - used);
    this.#start = grown.length - used;
    this.#bytes = grown;
  }
}

/** Reused for all messages, so that its memory is allocated once. */
const shared = new BackwardWriter(16 * 1024);
let inUse = false;

/** The bytes that `write` writes. */
export function withWriter(write: (writer: BackwardWriter) => void): Uint8Array {
  if (inUse) {
    const own = new BackwardWriter();
    write(own);
    return own.finish();
  }
  inUse = true;
  try {
    write(shared);
    return shared.finish();
  } finally {
    shared.clear();
    inUse = false;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** Reads protobuf's wire format; errors name the offset. */
export class WireReader {
  readonly bytes: Uint8Array;
  at: number;
  end: number;
  /** The depth of nested messages being read. */
  depth = 0;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** The value of a varint; throws beyond 2^53 unless it is negative and small. */
  varint(): number {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) throw new WireError("unexpected end of input", this.at);
      const byte = this.bytes[this.at++] as number;
      if (i >= 7) return this.#long(byte, value, i);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw new WireError("integer overflow", this.at);
  }

  /** A signed 64-bit integer as a bigint. */
  bigint64(): bigint {
    // Two numbers of 35 bits each are read first: bigints are slow.
    let low = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) throw new WireError("unexpected end of input", this.at);
      const byte = this.bytes[this.at++] as number;
      if (i < 5) low += (byte & 0x7f) * 128 ** i;
      else high += (byte & 0x7f) * 128 ** (i - 5);
      if (byte < 0x80)
        return high === 0 ? BigInt(low) : BigInt.asIntN(64, (BigInt(high) << 35n) | BigInt(low));
    }
    throw new WireError("integer overflow", this.at);
  }

  /** Whether a varint, however long, is anything but zero. */
  truth(): boolean {
    let bits = 0;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) throw new WireError("unexpected end of input", this.at);
      const byte = this.bytes[this.at++] as number;
      bits |= byte & 0x7f;
      if (byte < 0x80) return bits !== 0;
    }
    throw new WireError("integer overflow", this.at);
  }

  /** The bytes from the eighth on, as a bigint. */
  #long(byte: number, low: number, index: number): number {
    let value = BigInt(low) | (BigInt(byte & 0x7f) << BigInt(index * 7));
    let last = byte;
    for (let i = index + 1; last >= 0x80; i++) {
      if (this.at >= this.end) throw new WireError("unexpected end of input", this.at);
      if (i > 9) throw new WireError("integer overflow", this.at);
      last = this.bytes[this.at++] as number;
      value |= BigInt(last & 0x7f) << BigInt(i * 7);
    }
    const number = Number(BigInt.asIntN(64, value));
    if (!Number.isSafeInteger(number)) throw new WireError("integer beyond 2^53", this.at);
    return number;
  }

  double(): number {
    if (this.at + 8 > this.end) throw new WireError("unexpected end of input", this.at);
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset);
    const value = view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  /** The end of the length-delimited value that begins here. */
  delimited(): number {
    const length = this.varint();
    const end = this.at + length;
    if (length < 0) throw new WireError("negative length", this.at);
    if (end > this.end) throw new WireError("length beyond the end of input", this.at);
    return end;
  }

  string(): string {
    const end = this.delimited();
    const { bytes, at } = this;
    this.at = end;
    if (end - at > 24) return decoder.decode(bytes.subarray(at, end));
    let text = "";
    for (let i = at; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte >= 0x80) return decoder.decode(bytes.subarray(at, end));
      text += String.fromCharCode(byte);
    }
    return text;
  }

  raw(): Uint8Array {
    const end = this.delimited();
    const value = this.bytes.subarray(this.at, end);
    this.at = end;
    return value;
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.at += 8;
    else if (wireType === 2) this.at = this.delimited();
    else if (wireType === 5) this.at += 4;
    else throw new WireError(`illegal wire type ${wireType}`, this.at);
    if (this.at > this.end) throw new WireError("unexpected end of input", this.end);
  }
}

/** Malformed protobuf. */
export class WireError extends Error {
  /** The problem, without the offset. */
  readonly what: string;
  readonly offset: number;
  constructor(what: string, offset: number) {
    super(`${what} at byte ${offset}`);
    this.name = "WireError";
    this.what = what;
    this.offset = offset;
  }
}
