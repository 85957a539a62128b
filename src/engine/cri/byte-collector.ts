/** Collects the first bytes of a stream, and drops what follows them. */
export class ByteCollector {
  readonly #most: number;
  readonly #parts: Uint8Array[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  readonly write = async (bytes: Uint8Array): Promise<void> => {
    const room = this.#most - this.#size;
    if (room > 0) this.#parts.push(bytes.length > room ? bytes.subarray(0, room) : bytes);
    this.#size += Math.min(room, bytes.length);
  };

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}
