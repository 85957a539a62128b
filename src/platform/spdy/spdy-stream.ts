import {
  type ConnectionStream,
  type StreamHeaders,
  StreamResetError,
} from "../../base/stream-connection.ts";

/** What a stream needs of its connection. */
export interface StreamLink {
  /** Waits until bytes of the stream can be sent; resolves with how many, at most `wanted`. */
  reserve(stream: SpdyStream, wanted: number): Promise<number>;
  /** Sends data; resolves when more can be sent. */
  sendData(stream: SpdyStream, bytes: Uint8Array, isLast: boolean): Promise<void>;
  sendReset(stream: SpdyStream): void;
  /** So many bytes were read or dropped: the peer may send as many again. */
  consumed(stream: SpdyStream, bytes: number): void;
  /** The stream has ended in both directions. */
  forget(stream: SpdyStream): void;
}

export interface SpdyStreamOptions {
  readonly id: number;
  readonly headers: StreamHeaders;
  readonly link: StreamLink;
  /** How much the peer lets us send. */
  readonly window: number;
}

/** One stream of a SPDY connection. */
export class SpdyStream implements ConnectionStream {
  readonly id: number;
  readonly headers: StreamHeaders;
  /** How much may be sent; negative if the peer has lowered its initial window. */
  window: number;
  /** Bytes that were read since the last window update. */
  unacknowledged = 0;
  readonly #link: StreamLink;
  readonly #received: Uint8Array[] = [];
  #buffered = 0;
  #isRemoteEnded = false;
  #isLocalEnded = false;
  #failure: Error | undefined;
  #wake: () => void = nothing;
  readonly #opened: Promise<void>;
  #open: () => void = nothing;
  #refuse: (error: Error) => void = nothing;

  constructor({ id, headers, link, window }: SpdyStreamOptions) {
    this.id = id;
    this.headers = headers;
    this.window = window;
    this.#link = link;
    this.#opened = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#refuse = reject;
    });
    this.#opened.catch(nothing);
  }

  /** Resolves when the stream was accepted; data must not be sent before. */
  get opened(): Promise<void> {
    return this.#opened;
  }

  /** Bytes that were received and not read. */
  get buffered(): number {
    return this.#buffered;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const bytes = this.#received.shift();
      if (bytes) {
        this.#buffered -= bytes.length;
        this.#link.consumed(this, bytes.length);
        return bytes;
      }
      if (this.#isRemoteEnded) return undefined;
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#opened;
    for (let at = 0; at < bytes.length; ) {
      const size = await this.#link.reserve(this, bytes.length - at);
      if (this.#failure) throw this.#failure;
      if (this.#isLocalEnded) throw new Error("Write on closed stream");
      await this.#link.sendData(this, bytes.subarray(at, at + size), false);
      at += size;
    }
    if (this.#failure) throw this.#failure;
  }

  async end(): Promise<void> {
    await this.#opened;
    if (this.#isLocalEnded || this.#failure) return;
    this.#isLocalEnded = true;
    const sent = this.#link.sendData(this, new Uint8Array(0), true);
    this.#forgetIfOver();
    await sent;
  }

  destroy(): void {
    this.#drop();
    const isOver = this.#failure || (this.#isLocalEnded && this.#isRemoteEnded);
    this.fail(new StreamResetError());
    if (!isOver) this.#link.sendReset(this);
    this.#link.forget(this);
  }

  /** The stream may be used now. */
  accepted(): void {
    this.#open();
  }

  /** Takes data of the peer. */
  receive(bytes: Uint8Array): void {
    if (this.#failure || this.#isRemoteEnded) {
      this.#link.consumed(this, bytes.length);
      return;
    }
    if (bytes.length === 0) return;
    this.#received.push(bytes);
    this.#buffered += bytes.length;
    this.#wake();
  }

  /** The peer sends no more. */
  receiveEnd(): void {
    if (this.#isRemoteEnded || this.#failure) return;
    this.#isRemoteEnded = true;
    this.#wake();
    this.#forgetIfOver();
  }

  /** Reads fail once what was received is read, and writes fail at once. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#refuse(error);
    this.#wake();
  }

  #forgetIfOver(): void {
    if (this.#isLocalEnded && this.#isRemoteEnded) this.#link.forget(this);
  }

  #drop(): void {
    this.#received.length = 0;
    const bytes = this.#buffered;
    this.#buffered = 0;
    if (bytes > 0) this.#link.consumed(this, bytes);
  }
}

function nothing(): void {}
