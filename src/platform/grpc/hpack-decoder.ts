import { decodeHuffman } from "./hpack-huffman.ts";
import { staticTable } from "./hpack-table.ts";

export type HeaderField = readonly [name: string, value: string];

/** The overhead of a table entry in bytes. */
const fieldOverhead = 32;
/** The default size of the dynamic table. */
const tableSize = 4096;

/** Decodes the header blocks of one direction of a connection; every block must be decoded, in order. */
export class HpackDecoder {
  /** The newest first. */
  #fields: HeaderField[] = [];
  #size = 0;
  #limit = tableSize;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  /** The fields of a block, in order; throws for a malformed block. */
  decode(block: Uint8Array): HeaderField[] {
    this.#bytes = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    while (this.#at < block.length) {
      const first = block[this.#at] as number;
      if (first >= 0x80) fields.push(this.#field(this.#integer(7)));
      else if (first >= 0x40) fields.push(this.#add(this.#literal(6)));
      else if (first >= 0x20) this.#resize(this.#integer(5));
      else fields.push(this.#literal(4));
    }
    return fields;
  }

  #literal(prefixBits: number): HeaderField {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#string() : this.#field(index)[0];
    return [name, this.#string()];
  }

  #field(index: number): HeaderField {
    const field =
      index <= staticTable.length
        ? staticTable[index - 1]
        : this.#fields[index - staticTable.length - 1];
    if (!field) throw new Error(`hpack: there is no field ${index}`);
    return field;
  }

  #add(field: HeaderField): HeaderField {
    this.#fields.unshift(field);
    this.#size += sizeOf(field);
    this.#evict();
    return field;
  }

  #resize(limit: number): void {
    if (limit > tableSize) throw new Error(`hpack: a table of ${limit} bytes was not offered`);
    this.#limit = limit;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#limit) this.#size -= sizeOf(this.#fields.pop() as HeaderField);
  }

  #integer(prefixBits: number): number {
    const most = 2 ** prefixBits - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (value > 2 ** 31) throw new Error("hpack: a number is too large");
      if (byte < 0x80) return value;
    }
  }

  #string(): string {
    const isHuffman = (this.#bytes[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(7);
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error("hpack: a string is cut off");
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return isHuffman
      ? decodeHuffman(bytes)
      : Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1");
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error("hpack: a block is cut off");
    return byte;
  }
}

/** The size of a field in the table. */
export const sizeOf = ([name, value]: HeaderField): number =>
  name.length + value.length + fieldOverhead;
