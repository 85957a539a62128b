/** A frame that came whole (RFC 6455). */
export interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Uint8Array;
}

/** Reads the frames of a client, in pieces of any size. Throws for what no client may send. */
export class FrameReader {
  #bytes: Uint8Array = new Uint8Array(0);

  *push(more: Uint8Array): Generator<Frame> {
    const joined = new Uint8Array(this.#bytes.length + more.length);
    joined.set(this.#bytes);
    joined.set(more, this.#bytes.length);
    this.#bytes = joined;
    for (let frame = this.#next(); frame; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    const bytes = this.#bytes;
    const [first = 0, second = 0] = bytes;
    if (bytes.length < 2) return undefined;
    if ((second & 0x80) === 0) throw new Error("a frame of a client is not masked");
    const short = second & 0x7f;
    const extra = short < 126 ? 0 : short === 126 ? 2 : 8;
    const head = 2 + extra + 4;
    if (bytes.length < head) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const length =
      extra === 0 ? short : extra === 2 ? view.getUint16(2) : Number(view.getBigUint64(2));
    if (length > longest) throw new Error("a frame of a client is too long");
    if (bytes.length < head + length) return undefined;
    const payload = bytes.slice(head, head + length);
    for (let i = 0; i < length; i++)
      payload[i] = (payload[i] ?? 0) ^ (bytes[head - 4 + (i % 4)] ?? 0);
    this.#bytes = bytes.slice(head + length);
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload };
  }
}

const longest = 32 * 1024 * 1024;
