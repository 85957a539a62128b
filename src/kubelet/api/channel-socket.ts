import { encodeFrame, type Frame, FrameReader, opcodes } from "../../base/http/web-socket-frame.ts";
import type { ByteStream } from "../../base/network.ts";
import { decodeBase64, encodeBase64 } from "../../schema/values/base64.ts";

/** The encoding of messages: bytes after a channel byte, or base64 after a digit for text-only clients. */
export type MessageForm = "binary" | "base64";

/** Numbered streams of bytes through one WebSocket: a message begins with its number. */
export class ChannelSocket {
  readonly #stream: ByteStream;
  readonly #form: MessageForm;
  readonly #channels = new Map<number, Incoming>();
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** The fragments of the current message. */
  #message: Uint8Array[] = [];
  readonly #gone = new AbortController();

  constructor(stream: ByteStream, incoming: readonly number[], form: MessageForm = "binary") {
    this.#stream = stream;
    this.#form = form;
    for (const channel of incoming) this.#channels.set(channel, new Incoming());
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** The bytes received on a channel, until the client closes it. */
  incoming(channel: number): AsyncIterable<Uint8Array> | undefined {
    return this.#channels.get(channel);
  }

  /** Sends bytes on a channel; resolves when more can be sent. */
  send(channel: number, bytes: Uint8Array): Promise<void> {
    if (this.#form === "base64") {
      const text = `${channel}${encodeBase64(bytes)}`;
      return this.#write(opcodes.text, new TextEncoder().encode(text));
    }
    const message = new Uint8Array(bytes.length + 1);
    message[0] = channel;
    message.set(bytes, 1);
    return this.#write(opcodes.binary, message);
  }

  /** Sends a close frame, and closes the connection. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#write(opcodes.close, Uint8Array.of(normal >> 8, normal & 255)).catch(() => {});
    await this.#stream.end().catch(() => {});
  }

  /** Reads frames until the client disconnects. */
  async listen(): Promise<void> {
    const frames = new FrameReader("keep");
    try {
      for (let bytes = await this.#stream.read(); bytes; bytes = await this.#stream.read())
        for (const frame of frames.push(bytes)) {
          if (frame.opcode === opcodes.close) return;
          await this.#take(frame);
        }
    } catch {
      // A broken connection, or an invalid frame, ends the connection.
    } finally {
      for (const channel of this.#channels.values()) channel.end();
      this.#gone.abort();
    }
  }

  async #take({ opcode, payload, isLast }: Frame): Promise<void> {
    if (opcode === opcodes.ping) return this.#write(opcodes.pong, payload);
    if (opcode > opcodes.binary) return;
    this.#message.push(payload);
    if (!isLast) return;
    this.#receive(joined(this.#message));
    this.#message = [];
  }

  #receive(message: Uint8Array): void {
    if (this.#form === "base64") {
      const text = new TextDecoder().decode(message);
      this.#channels.get(Number(text[0]))?.push(decodeBase64(text.slice(1)));
      return;
    }
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

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const normal = 1000;
/** In version 5, the client closes its streams with messages on this channel. */
const closeChannel = 255;

/** The bytes received on one channel. */
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
