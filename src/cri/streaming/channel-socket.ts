import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import type { Clock } from "../../base/clock.ts";
import type { MessageSocket } from "../../base/http/message-socket.ts";
import type { ByteStream } from "../../base/network.ts";
import { repeat } from "../../base/repeat.ts";

/** The encoding of messages: bytes after a channel byte, or base64 after a digit for text-only clients. */
export type MessageForm = "binary" | "base64";

export interface ChannelSocketOptions {
  readonly form: MessageForm;
  /** The channels on which the peer sends; what it sends on others is dropped. */
  readonly incoming: readonly number[];
  /** Whether messages on channel 255 close channels, as in version 5. */
  readonly hasClose: boolean;
  readonly clock: Clock;
}

/** Numbered streams of bytes through one WebSocket: a message begins with its number. */
export class ChannelSocket {
  readonly #socket: MessageSocket;
  readonly #form: MessageForm;
  readonly #hasClose: boolean;
  readonly #clock: Clock;
  readonly #channels = new Map<number, Incoming>();
  readonly #gone = new AbortController();
  readonly #listening: Promise<void>;
  #failure: Error | undefined;

  constructor(socket: MessageSocket, options: ChannelSocketOptions) {
    const { form, incoming, hasClose, clock } = options;
    this.#socket = socket;
    this.#clock = clock;
    this.#form = form;
    this.#hasClose = hasClose;
    for (const channel of incoming) this.#channels.set(channel, new Incoming());
    this.#listening = this.#listen();
  }

  /** Aborted when the peer disconnects. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Why the connection was lost; undefined while it is open, and if the peer has closed it in good order. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** A channel as a stream; its own direction is ended by a message, where the protocol has one. */
  channel(number: number): ByteStream {
    const incoming = this.#channels.get(number);
    return {
      read: async () => incoming?.read(),
      write: (bytes) => this.#send(number, bytes),
      end: async () => {
        if (this.#hasClose) await this.#socket.send(Uint8Array.of(closeChannel, number));
      },
      destroy: () => incoming?.drop(),
    };
  }

  /** Closes the WebSocket; resolves when the peer has closed it, too, or takes too long. */
  async close(): Promise<void> {
    for (const channel of this.#channels.values()) channel.drop();
    await this.#socket.close();
    const timer = this.#clock.setTimer(leaveTime, () => this.#socket.destroy());
    await this.#listening;
    timer.cancel();
  }

  #send(channel: number, bytes: Uint8Array): Promise<void> {
    if (this.#form === "base64") {
      const text = `${String.fromCharCode(zero + channel)}${encodeBase64(bytes)}`;
      return this.#socket.send(new TextEncoder().encode(text), true);
    }
    const message = new Uint8Array(bytes.length + 1);
    message[0] = channel;
    message.set(bytes, 1);
    return this.#socket.send(message);
  }

  async #listen(): Promise<void> {
    try {
      for (
        let message = await this.#socket.receive();
        message;
        message = await this.#socket.receive()
      )
        if (message.length > 0) await this.#receive(message);
      this.#failure = closeFailure(this.#socket.closeCode);
    } catch (error) {
      // A broken connection, or an invalid message, ends the connection.
      this.#failure = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#end();
    }
  }

  #end(): void {
    for (const channel of this.#channels.values()) channel.end();
    this.#gone.abort();
  }

  async #receive(message: Uint8Array): Promise<void> {
    const [channel = 0, closed = 0] = message;
    if (this.#form === "base64") {
      const text = new TextDecoder().decode(message.subarray(1));
      await this.#deliver(channel - zero, decodeBase64(text));
    } else if (this.#hasClose && channel === closeChannel) this.#channels.get(closed)?.end();
    else await this.#deliver(channel, message.subarray(1));
  }

  /** Delivers bytes to a channel; resolves when more may be received. */
  async #deliver(number: number, bytes: Uint8Array): Promise<void> {
    const channel = this.#channels.get(number);
    channel?.push(bytes);
    if (!channel?.isFull) return;
    // A peer that disconnects meanwhile is not noticed by reading.
    const pings = repeat(this.#clock, pingMs, () => {
      this.#socket.ping().catch(() => this.#end());
    });
    await channel.drained();
    pings.cancel();
  }
}

const closeChannel = 255;
/** In text, a channel is a digit, or one of the characters after them. */
const zero = 0x30;
const leaveTime = 10_000;
const pingMs = 10_000;

/** The error of a connection that did not end in good order, as it is known from Go. */
function closeFailure(code: number | undefined): Error | undefined {
  if (code === normalClosure) return undefined;
  if (code === undefined)
    return new Error("websocket: close 1006 (abnormal closure): unexpected EOF");
  return new Error(`websocket: close ${code}`);
}

const normalClosure = 1000;

/** The bytes received on one channel. */
class Incoming {
  readonly #waiting: Uint8Array[] = [];
  #size = 0;
  #isEnded = false;
  #isDropped = false;
  #wakeReader: () => void = nothing;
  #wakeWriter: () => void = nothing;

  push(bytes: Uint8Array): void {
    if (this.#isEnded || this.#isDropped || bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    this.#wakeReader();
  }

  get isFull(): boolean {
    return this.#size > mostWaiting && !this.#isEnded;
  }

  /** Resolves when more may be received. */
  async drained(): Promise<void> {
    while (this.isFull)
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
      });
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const bytes = this.#waiting.shift();
      if (bytes) {
        this.#size -= bytes.length;
        this.#wakeWriter();
        return bytes;
      }
      if (this.#isEnded || this.#isDropped) return undefined;
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
  }

  end(): void {
    this.#isEnded = true;
    this.#wakeReader();
    this.#wakeWriter();
  }

  /** Forgets what was received, and what is still to come. */
  drop(): void {
    this.#isDropped = true;
    this.#waiting.length = 0;
    this.#size = 0;
    this.#wakeReader();
    this.#wakeWriter();
  }
}

const mostWaiting = 1024 * 1024;

function nothing(): void {}
