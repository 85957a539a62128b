import type { ByteStream } from "../../base/network.ts";
import { encodeFrame, FrameReader, opcodes } from "./web-socket-frames.ts";

/** Numbered streams of bytes through one WebSocket: the first byte of a message is its number. */
export class ChannelSocket {
  readonly #stream: ByteStream;
  readonly #channels = new Map<number, Incoming>();
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #gone = new AbortController();

  constructor(stream: ByteStream, incoming: readonly number[]) {
    this.#stream = stream;
    for (const channel of incoming) this.#channels.set(channel, new Incoming());
  }

  /** Aborted when the other side has gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** What comes through a channel, until the other side ends it. */
  incoming(channel: number): AsyncIterable<Uint8Array> | undefined {
    return this.#channels.get(channel);
  }

  /** Sends something through a channel; resolves when more is welcome. */
  send(channel: number, bytes: Uint8Array): Promise<void> {
    const message = new Uint8Array(bytes.length + 1);
    message[0] = channel;
    message.set(bytes, 1);
    return this.#write(opcodes.binary, message);
  }

  /** Says goodbye, and ends the connection. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#write(opcodes.close, Uint8Array.of(normal >> 8, normal & 255)).catch(() => {});
    await this.#stream.end().catch(() => {});
  }

  /** Reads what the other side sends, until it goes. */
  async listen(): Promise<void> {
    const frames = new FrameReader();
    let message: number[] | undefined;
    try {
      for (;;) {
        const bytes = await this.#stream.read();
        if (!bytes) return;
        for (const { opcode, payload, isLast } of frames.push(bytes)) {
          if (opcode === opcodes.close) return;
          if (opcode === opcodes.ping) await this.#write(opcodes.pong, payload);
          else if (opcode < opcodes.close) {
            message = [...(message ?? []), ...payload];
            if (!isLast) continue;
            this.#receive(Uint8Array.from(message));
            message = undefined;
          }
        }
      }
    } catch {
      // A broken connection, or one that makes no sense, is over.
    } finally {
      for (const channel of this.#channels.values()) channel.end();
      this.#gone.abort();
    }
  }

  #receive(message: Uint8Array): void {
    const [channel = 0, closed = 0] = message;
    if (channel === closeChannel) this.#channels.get(closed)?.end();
    else this.#channels.get(channel)?.push(message.subarray(1));
  }

  #write(opcode: number, payload: Uint8Array): Promise<void> {
    const written = this.#writing.then(() => this.#stream.write(encodeFrame(opcode, payload)));
    this.#writing = written.catch(() => {});
    return written;
  }
}

const normal = 1000;
/** With version 5 a side says here which of its streams has ended. */
const closeChannel = 255;

/** What comes through a channel. */
class Incoming implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #isEnded = false;
  #wake: () => void = () => {};

  push(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) yield next;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
