import type { ByteStream } from "../../base/network.ts";
import { HeaderCompressor } from "./header-compression.ts";
import { controlFrame, dataFrame, defaultWindow, largestNumber, SpdyError } from "./spdy-frames.ts";
import type { SpdyStream } from "./spdy-stream.ts";

/** A frame with headers: numbers, so many zero bytes, and the block of headers that is to be compressed. */
export interface HeaderFrame {
  readonly numbers: readonly number[];
  readonly between: number;
  readonly block: Uint8Array;
}

/** The sending half of a connection: frames one after the other, data within the windows of the peer. */
export class SpdyOutput {
  readonly #stream: ByteStream;
  readonly #onFailure: (error: Error) => void;
  readonly #compressor = new HeaderCompressor();
  #writing: Promise<void> = Promise.resolve();
  /** Control frames that wait to be sent. */
  #waitingFrames = 0;
  #window = defaultWindow;
  #initialWindow = defaultWindow;
  #hasWindows = false;
  #failure: Error | undefined;
  /** Wakes the writers that wait for a window. */
  #blocked: (() => void)[] = [];

  constructor(stream: ByteStream, onFailure: (error: Error) => void) {
    this.#stream = stream;
    this.#onFailure = onFailure;
  }

  /** Whether the peer has shown that it has windows. */
  get hasWindows(): boolean {
    return this.#hasWindows;
  }

  /** The window with which streams begin. */
  get initialWindow(): number {
    return this.#initialWindow;
  }

  /** Sends a control frame as soon as the frames before it are sent. */
  control(control: number, numbers: readonly number[]): void {
    this.#queue(() => this.#stream.write(controlFrame(control, numbers)));
  }

  /** Sends a frame with headers, which are compressed in the order in which they are sent. */
  headers(control: number, { numbers, between, block }: HeaderFrame): void {
    this.#queue(async () => {
      const compressed = await this.#compressor.compress(block);
      const rest = new Uint8Array(between + compressed.length);
      rest.set(compressed, between);
      await this.#stream.write(controlFrame(control, numbers, { rest }));
    });
  }

  /** Sends data; resolves when more can be sent. */
  data(id: number, bytes: Uint8Array, isLast: boolean): Promise<void> {
    return this.#then(() => this.#stream.write(dataFrame(id, bytes, isLast)));
  }

  /** Waits until a stream may send data; resolves with how many bytes of it. */
  async reserve(stream: SpdyStream, wanted: number): Promise<number> {
    for (;;) {
      const failure = stream.failure ?? this.#failure;
      if (failure) throw failure;
      const allowed = this.#hasWindows
        ? Math.min(wanted, longestData, stream.window, this.#window)
        : Math.min(wanted, longestData);
      if (allowed > 0) {
        stream.window -= allowed;
        this.#window -= allowed;
        return allowed;
      }
      await new Promise<void>((resolve) => this.#blocked.push(resolve));
    }
  }

  /** The peer lets a stream, or all streams together, send more. */
  grant(
    stream: SpdyStream | undefined,
    { isConnection, bytes }: { readonly isConnection: boolean; readonly bytes: number },
  ): void {
    this.#hasWindows = true;
    if (isConnection) this.#window += bytes;
    else if (stream) stream.window += bytes;
    if (this.#window > largestNumber || (stream?.window ?? 0) > largestNumber)
      throw new SpdyError("flow control error");
    this.wake();
  }

  setInitialWindow(window: number, streams: Iterable<SpdyStream>): void {
    this.#hasWindows = true;
    for (const stream of streams) stream.window += window - this.#initialWindow;
    this.#initialWindow = window;
    this.wake();
  }

  /** Lets all blocked writers look again. */
  wake(): void {
    for (const wake of this.#blocked.splice(0)) wake();
  }

  /** Resolves when everything is sent. */
  finish(): Promise<void> {
    return this.#writing;
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#compressor.close();
    this.wake();
  }

  #queue(write: () => Promise<void>): void {
    // A peer that makes us respond without reading the responses must not fill the memory.
    if (this.#waitingFrames === mostWaitingFrames) {
      this.#onFailure(new SpdyError("the peer does not read its frames"));
      return;
    }
    this.#waitingFrames++;
    this.#then(write)
      .catch(() => {})
      .finally(() => this.#waitingFrames--);
  }

  #then(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(() => {
      if (this.#failure) throw this.#failure;
      return write();
    });
    this.#writing = written.catch((error: unknown) => {
      this.#onFailure(error instanceof Error ? error : new Error(String(error)));
    });
    return written;
  }
}

const longestData = 32 * 1024;
const mostWaitingFrames = 4096;
