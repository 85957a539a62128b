import type { ByteStream } from "../network.ts";

/** Reads lines and counted bytes from a stream. */
export class ByteReader {
  readonly #stream: ByteStream;
  /** Bytes that were read from the stream and not returned yet. */
  #rest: Uint8Array = nothing;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** Whether nothing was read from the stream that has not been returned. */
  get isEmpty(): boolean {
    return this.#rest.length === 0;
  }

  /** The next line without its line break, each byte a character; undefined at the end of the stream. */
  async line(limit: number): Promise<string | undefined> {
    let text = "";
    for (;;) {
      const end = this.#rest.indexOf(lineFeed);
      text += latin1(end < 0 ? this.#rest : this.#rest.subarray(0, end));
      if (text.length > limit)
        throw new Error("net/http: server response headers exceeded the limit");
      if (end >= 0) {
        this.#rest = this.#rest.subarray(end + 1);
        return text.endsWith("\r") ? text.slice(0, -1) : text;
      }
      const more = await this.#stream.read();
      if (!more) {
        this.#rest = nothing;
        if (text === "") return undefined;
        throw new Error("unexpected EOF");
      }
      this.#rest = more;
    }
  }

  /** The next bytes, at most `most`; undefined at the end of the stream. */
  async some(most: number): Promise<Uint8Array | undefined> {
    if (this.#rest.length === 0) {
      const more = await this.#stream.read();
      if (!more) return undefined;
      this.#rest = more;
    }
    const bytes = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(bytes.length);
    return bytes;
  }

  /** The rest of the stream, including what was read ahead. */
  remaining(): ByteStream {
    const stream = this.#stream;
    return {
      read: () => this.some(Number.POSITIVE_INFINITY),
      write: (bytes) => stream.write(bytes),
      end: () => stream.end(),
      destroy: () => stream.destroy(),
    };
  }
}

const nothing = new Uint8Array(0);
const lineFeed = 0x0a;

/** Decodes Latin-1: each byte is a character. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
