import { recordTypes } from "./dns-codes.ts";
import type { DnsMessage, DnsQuestion, DnsRecord, Edns } from "./dns-message.ts";
import { type DnsName, longestName, rootName } from "./dns-name.ts";

/** The bytes before the questions. */
export const headerBytes = 12;

/**
 * Decodes a message; undefined if it is malformed. The cost is bounded by its size: counts are not trusted, a name
 * has at most 255 bytes, and a pointer leads only to what is before it.
 */
export function decodeMessage(bytes: Uint8Array): DnsMessage | undefined {
  try {
    return decode(new Reader(bytes));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** The reason is nobody's concern: a sender learns only that its message is malformed. */
class Malformed extends Error {}

function decode(reader: Reader): DnsMessage {
  const id = reader.uint16();
  const flags = reader.uint16();
  const counts = [reader.uint16(), reader.uint16(), reader.uint16(), reader.uint16()] as const;
  const questions: DnsQuestion[] = [];
  for (let i = 0; i < counts[0]; i++)
    questions.push({ name: reader.name(), type: reader.uint16(), class: reader.uint16() });
  const answers = records(reader, counts[1]);
  const authorities = records(reader, counts[2]);
  const all = records(reader, counts[3]);
  const options = all.filter(({ type }) => type === recordTypes.OPT);
  const [option] = options;
  if (options.length > 1 || (option && option.name !== rootName)) throw new Malformed();
  return {
    id,
    isResponse: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 15,
    isAuthoritative: (flags & 0x400) !== 0,
    isTruncated: (flags & 0x200) !== 0,
    recursionDesired: (flags & 0x100) !== 0,
    recursionAvailable: (flags & 0x80) !== 0,
    authenticData: (flags & 0x20) !== 0,
    checkingDisabled: (flags & 0x10) !== 0,
    code: (flags & 15) | (option ? (option.ttl >>> 24) << 4 : 0),
    ...{ questions, answers, authorities },
    additionals: option ? all.filter((record) => record !== option) : all,
    edns: option && ednsOf(option),
  };
}

const ednsOf = ({ class: size, ttl }: DnsRecord): Edns => ({
  size,
  version: (ttl >>> 16) & 255,
  dnssecOk: (ttl & 0x8000) !== 0,
});

function records(reader: Reader, count: number): DnsRecord[] {
  const found: DnsRecord[] = [];
  for (let i = 0; i < count; i++) {
    const name = reader.name();
    const type = reader.uint16();
    const ofClass = reader.uint16();
    const ttl = reader.uint32();
    found.push({ name, type, class: ofClass, ttl, data: reader.data(type) });
  }
  return found;
}

/** Where names are in the data of types whose names may be compressed: bytes before them, and their number. */
const namesInData: Readonly<Record<number, readonly [before: number, names: number]>> = {
  [recordTypes.NS]: [0, 1],
  [recordTypes.CNAME]: [0, 1],
  [recordTypes.SOA]: [0, 2],
  [recordTypes.PTR]: [0, 1],
  [recordTypes.MX]: [2, 1],
  [recordTypes.SRV]: [6, 1],
  [recordTypes.DNAME]: [0, 1],
};

/** A name has no more labels, each of which could follow a pointer. */
const mostJumps = 127;

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  uint16(): number {
    const at = this.#take(2);
    return (this.#byte(at) << 8) | this.#byte(at + 1);
  }

  uint32(): number {
    return this.uint16() * 0x10000 + this.uint16();
  }

  name(): DnsName {
    const { name, end } = this.#nameAt(this.#at);
    this.#at = end;
    return name;
  }

  /** The data of a record, with its names uncompressed. */
  data(type: number): Uint8Array {
    const length = this.uint16();
    const start = this.#take(length);
    const place = namesInData[type];
    // A copy: the message need not be kept.
    if (!place) return Uint8Array.prototype.slice.call(this.#bytes, start, start + length);
    const [before, count] = place;
    let at = start + before;
    let names = "";
    for (let i = 0; i < count; i++) {
      const { name, end } = this.#nameAt(at);
      names += name;
      at = end;
    }
    if (at > start + length) throw new Malformed();
    return Buffer.concat([
      this.#bytes.subarray(start, start + before),
      Buffer.from(names, "latin1"),
      this.#bytes.subarray(at, start + length),
    ]);
  }

  /** Moves on by some bytes, which must be there; returns where they are. */
  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new Malformed();
    this.#at = at + length;
    return at;
  }

  #byte(at: number): number {
    const byte = this.#bytes[at];
    if (byte === undefined) throw new Malformed();
    return byte;
  }

  #nameAt(from: number): { readonly name: DnsName; readonly end: number } {
    let name = "";
    let end: number | undefined;
    /** Pointers must lead before this: that makes each way finite. */
    let limit = from;
    let jumps = 0;
    for (let at = from; ; ) {
      const length = this.#byte(at);
      if (length >= 0xc0) {
        const target = ((length & 0x3f) << 8) | this.#byte(at + 1);
        if (target >= limit || ++jumps > mostJumps) throw new Malformed();
        end ??= at + 2;
        limit = target;
        at = target;
      } else {
        // Other kinds of labels are not in use.
        if (length > 63 || name.length + length + 1 > longestName) throw new Malformed();
        this.#byte(at + length);
        name += this.#bytes.toString("latin1", at, at + length + 1);
        at += 1 + length;
        if (length === 0) return { name, end: end ?? at };
      }
    }
  }
}
