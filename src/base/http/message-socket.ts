import type { ByteStream } from "../network.ts";
import type { DialProtocols } from "../stream-connection.ts";
import { encodeFrame, type Frame, FrameReader, opcodes } from "./web-socket-frame.ts";

/** A WebSocket on a connection that is upgraded, with whole messages in both directions. */
export class MessageSocket {
  readonly #stream: ByteStream;
  readonly #frames: FrameReader;
  readonly #mask: Uint8Array | undefined;
  /** Frames that were received and not handled. */
  #received: Iterator<Frame> = [][Symbol.iterator]();
  #message: Uint8Array[] = [];
  #messageSize = 0;
  #writing: Promise<void> = Promise.resolve();
  #isClosing = false;
  #closeCode: number | undefined;

  /** A client masks what it sends. */
  constructor(stream: ByteStream, mask?: Uint8Array) {
    this.#stream = stream;
    this.#mask = mask;
    this.#frames = new FrameReader("keep", mask ? "server" : "client");
  }

  /** Why the peer has closed the connection, such as 1000; undefined if it has not said so. */
  get closeCode(): number | undefined {
    return this.#closeCode;
  }

  /** The next message; undefined when the peer has closed the connection. */
  async receive(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { value: frame, done } = this.#received.next();
      if (done) {
        const bytes = await this.#stream.read();
        if (!bytes) return undefined;
        this.#received = this.#frames.push(bytes);
      } else if (frame.opcode === opcodes.close) {
        const [high, low] = frame.payload;
        this.#closeCode = high === undefined || low === undefined ? noStatus : (high << 8) | low;
        return undefined;
      } else if (frame.opcode === opcodes.ping) await this.#write(opcodes.pong, frame.payload);
      else if (frame.opcode <= opcodes.binary) {
        const message = this.#add(frame);
        if (message) return message;
      }
    }
  }

  /** Sends a message; resolves when more can be sent. */
  send(message: Uint8Array, isText = false): Promise<void> {
    return this.#write(isText ? opcodes.text : opcodes.binary, message);
  }

  /** Makes the peer respond; rejects if it has disconnected. */
  ping(): Promise<void> {
    return this.#write(opcodes.ping, new Uint8Array(0));
  }

  /** Sends a close frame, and ends our direction. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#write(opcodes.close, Uint8Array.of(normal >> 8, normal & 255)).catch(() => {});
    await this.#stream.end().catch(() => {});
  }

  destroy(): void {
    this.#stream.destroy();
  }

  /** All messages as one stream of bytes, through which another protocol is spoken. */
  asStream(): ByteStream {
    return {
      read: () => this.receive(),
      write: (bytes) => this.send(bytes),
      end: () => this.close(),
      destroy: () => this.destroy(),
    };
  }

  #add({ payload, isLast }: Frame): Uint8Array | undefined {
    this.#message.push(payload);
    this.#messageSize += payload.length;
    if (this.#messageSize > longestMessage) throw new Error("a message is too long");
    if (!isLast) return undefined;
    const [only = payload] = this.#message;
    const message = this.#message.length === 1 ? only : joined(this.#message, this.#messageSize);
    this.#message = [];
    this.#messageSize = 0;
    return message;
  }

  #write(opcode: number, payload: Uint8Array): Promise<void> {
    const frame = encodeFrame(opcode, payload, this.#mask);
    const written = this.#writing.then(() => this.#stream.write(frame));
    this.#writing = written.catch(() => {});
    return written;
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const normal = 1000;
/** Stands for a close frame without a code. */
const noStatus = 1005;
const longestMessage = 32 * 1024 * 1024;

/** Opens the client's side of a WebSocket at an address, with one of these protocols. */
export type DialMessages = (
  address: string,
  options: DialProtocols,
) => Promise<{ readonly socket: MessageSocket; readonly protocol: string }>;
