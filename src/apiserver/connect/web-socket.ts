import { type Clock, withDeadline } from "../../base/clock.ts";
import { encodeFrame, FrameError, FrameReader, opcodes } from "../../base/http/web-socket-frame.ts";
import type { ByteStream } from "../../base/network.ts";

/** How long to wait for a client that does not read. */
export interface Patience {
  readonly clock: Clock;
  /** Milliseconds for each message; absent: no limit. */
  readonly message?: number | undefined;
}

/** A WebSocket on which only the server sends messages. */
export class WebSocket {
  readonly #stream: ByteStream;
  readonly #patience: Patience;
  /** Resolves when the client has closed the connection, or asks to. */
  readonly closed: Promise<void>;
  /** The writes, one after the other. */
  #writing: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(stream: ByteStream, patience: Patience) {
    this.#stream = stream;
    this.#patience = patience;
    this.closed = this.#listen().catch(() => {});
  }

  /** Sends a message; resolves when the next may be sent. */
  send(message: Uint8Array, isText: boolean): Promise<void> {
    return this.#write(isText ? opcodes.text : opcodes.binary, message);
  }

  /** Sends a close frame, and ends the connection. */
  async close(code = normal): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const bye = Uint8Array.of(code >> 8, code & 255);
    const leave = async (): Promise<void> => {
      await this.#write(opcodes.close, bye);
      await this.#stream.end();
    };
    // A client that has gone or does not read gets no close frame.
    await withDeadline({ clock: this.#patience.clock, ms: goodbyeTime }, leave).catch(() => {});
    this.#stream.destroy();
  }

  #write(opcode: number, payload: Uint8Array): Promise<void> {
    const written = this.#writing.then(() => this.#patiently(encodeFrame(opcode, payload)));
    this.#writing = written.catch(() => {});
    return written;
  }

  async #patiently(frame: Uint8Array): Promise<void> {
    const { clock, message: ms } = this.#patience;
    if (ms === undefined) return this.#stream.write(frame);
    const timer = clock.setTimer(ms, () => this.#stream.destroy());
    try {
      await this.#stream.write(frame);
    } finally {
      timer.cancel();
    }
  }

  async #listen(): Promise<void> {
    const frames = new FrameReader("skip");
    try {
      for (let bytes = await this.#stream.read(); bytes; bytes = await this.#stream.read())
        for (const { opcode, payload } of frames.push(bytes)) {
          if (opcode === opcodes.close) return;
          if (opcode === opcodes.ping) await this.#write(opcodes.pong, payload);
        }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      void this.close(protocolError);
    }
  }
}

const goodbyeTime = 10_000;
const normal = 1000;
const protocolError = 1002;
