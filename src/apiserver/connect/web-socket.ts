import type { ByteStream } from "../../base/network.ts";
import { ClientFrames, encodeFrame, opcodes } from "./web-socket-frames.ts";

/** A WebSocket through which a server tells, and its client only listens. */
export class WebSocket {
  readonly #stream: ByteStream;
  /** Resolves when the client has gone, or wants to. */
  readonly closed: Promise<void>;
  /** What is written, one after the other. */
  #writing: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(stream: ByteStream) {
    this.#stream = stream;
    this.closed = this.#listen().catch(() => {});
  }

  /** Sends a message; resolves when another is welcome. */
  send(message: Uint8Array, isText: boolean): Promise<void> {
    return this.#write(isText ? opcodes.text : opcodes.binary, message);
  }

  /** Says goodbye, and ends the connection. */
  async close(code = normal): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const bye = Uint8Array.of(code >> 8, code & 255);
    await this.#write(opcodes.close, bye).catch(() => {});
    await this.#stream.end();
    this.#stream.destroy();
  }

  #write(opcode: number, payload: Uint8Array): Promise<void> {
    const written = this.#writing.then(() => this.#stream.write(encodeFrame(opcode, payload)));
    this.#writing = written.catch(() => {});
    return written;
  }

  async #listen(): Promise<void> {
    const frames = new ClientFrames();
    for (;;) {
      const bytes = await this.#stream.read();
      if (!bytes) return;
      for (const sign of frames.push(bytes)) {
        if (sign.type === "close") return;
        if (sign.type === "ping") await this.#write(opcodes.pong, sign.payload);
        else {
          void this.close(protocolError);
          return;
        }
      }
    }
  }
}

const normal = 1000;
const protocolError = 1002;
