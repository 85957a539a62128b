/** A message as TCP carries it: after its length. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(2 + message.length);
  frame.writeUInt16BE(message.length, 0);
  frame.set(message, 2);
  return frame;
}

/** Cuts a stream of bytes into messages, each after its length. Keeps at most one incomplete message. */
export class MessageFrames {
  #rest: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #size = 0;

  /** Whether a message has begun that is not complete. */
  get isWithin(): boolean {
    return this.#size > 0;
  }

  /** Takes further bytes; returns the messages that are complete now. */
  push(bytes: Buffer): Buffer[] {
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#size < 2) return [];
    if (this.#rest.length < 2 || this.#size >= 2 + this.#rest.readUInt16BE(0)) this.#join();
    if (this.#size < 2 + this.#rest.readUInt16BE(0)) return [];
    const messages: Buffer[] = [];
    let at = 0;
    while (at + 2 <= this.#rest.length) {
      const end = at + 2 + this.#rest.readUInt16BE(at);
      if (end > this.#rest.length) break;
      messages.push(this.#rest.subarray(at + 2, end));
      at = end;
    }
    this.#rest = this.#rest.subarray(at);
    this.#size = this.#rest.length;
    return messages;
  }

  #join(): void {
    this.#rest = Buffer.concat([this.#rest, ...this.#parts]);
    this.#parts = [];
  }
}
