import type { Transform } from "node:stream";
import { constants, createDeflate, createInflate } from "node:zlib";
import { headerDictionary } from "./header-dictionary.ts";
import { SpdyError } from "./spdy-frames.ts";

/** Compresses the header blocks of one direction: each block may refer to those before it. */
export class HeaderCompressor {
  readonly #deflate = createDeflate({ dictionary: headerDictionary, windowBits: 11, memLevel: 5 });
  readonly #output = new Output(this.#deflate);

  /** Only one call may be pending. */
  compress(block: Uint8Array): Promise<Uint8Array> {
    return this.#output.of((done) => {
      this.#deflate.write(block);
      this.#deflate.flush(constants.Z_SYNC_FLUSH, done);
    });
  }

  close(): void {
    this.#deflate.destroy();
  }
}

/** Decompresses the header blocks of one direction. */
export class HeaderDecompressor {
  readonly #inflate = createInflate({ dictionary: headerDictionary });
  readonly #output = new Output(this.#inflate);

  /** Throws a `SpdyError` for a block that is damaged or too long. Only one call may be pending. */
  decompress(block: Uint8Array): Promise<Uint8Array> {
    return this.#output.of((done) => this.#inflate.write(block, done));
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** Collects what a transform writes during one call. */
class Output {
  readonly #transform: Transform;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #fail: (error: Error) => void = () => {};

  constructor(transform: Transform) {
    this.#transform = transform;
    transform.on("data", (piece: Uint8Array) => {
      this.#pieces.push(piece);
      this.#size += piece.length;
      if (this.#size > longestBlock) transform.destroy(new SpdyError("headers are too long"));
    });
    transform.on("error", (cause) =>
      this.#fail(cause instanceof SpdyError ? cause : new SpdyError("invalid headers", { cause })),
    );
    transform.on("close", () => this.#fail(new Error("the connection is closed")));
  }

  of(start: (done: () => void) => void): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      if (this.#transform.destroyed) reject(new Error("the connection is closed"));
      else
        start(() => {
          // The listeners of errors and of the end have rejected.
          if (this.#transform.destroyed) return;
          // What is still buffered is passed to the listener of data.
          while (this.#transform.read() !== null);
          resolve(Buffer.concat(this.#pieces));
          this.#pieces = [];
          this.#size = 0;
        });
    });
  }
}

const longestBlock = 65_536;
