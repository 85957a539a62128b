import type { Duplex } from "node:stream";
import type { HeaderField } from "./hpack-decoder.ts";
import { HpackEncoder } from "./hpack-encoder.ts";
import {
  frameBytes,
  frameFlags,
  frameTypes,
  maxPayload,
  resetCodes,
  settings,
  uint32,
} from "./http2-frames.ts";

/** The outgoing side of a stream. */
export interface OutgoingStream {
  /** 0 until the stream is started. */
  readonly id: number;
  readonly queue: { readonly bytes: Uint8Array; at: number; readonly isLast: boolean }[];
  /** The send window of the stream. */
  window: number;
}

/** The default send window. */
const defaultWindow = 65_535;
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * The sending half of a connection: everything sent in one turn of the event loop is one write, and
 * bodies respect the server's flow-control windows.
 */
export class Http2Output {
  #socket: Duplex | undefined;
  readonly #encoder = new HpackEncoder();
  /** Streams that are blocked by flow control. */
  readonly #blocked = new Set<OutgoingStream>();
  #out: Uint8Array[] = [];
  #window = defaultWindow;
  #initialWindow = defaultWindow;

  /** Sends the connection preface, settings and receive window, and from then on all else to this socket. */
  greet(socket: Duplex, receiveWindow: number): void {
    this.#socket = socket;
    const wanted = [
      [settings.enablePush, 0],
      [settings.initialWindowSize, receiveWindow],
    ] as const;
    this.#send(preface);
    const payload = wanted.flatMap(([name, value]) => [0, name, ...uint32(value)]);
    this.#send(frameBytes(frameTypes.settings, {}, payload));
    this.grant(0, receiveWindow - defaultWindow);
  }

  /** Starts a stream, and sends what it has. */
  begin(stream: OutgoingStream, fields: readonly HeaderField[]): void {
    const { id } = stream;
    stream.window = this.#initialWindow;
    const block = this.#encoder.encode(fields, varying);
    for (let at = 0; at === 0 || at < block.length; at += maxPayload) {
      const type = at === 0 ? frameTypes.headers : frameTypes.continuation;
      const flags = at + maxPayload >= block.length ? frameFlags.endHeaders : 0;
      this.#send(frameBytes(type, { flags, id }, block.slice(at, at + maxPayload)));
    }
    this.push(stream);
  }

  /** Sends as much of a stream's body as the windows allow. */
  push(stream: OutgoingStream): void {
    for (let first = stream.queue[0]; first; first = stream.queue[0]) {
      const left = first.bytes.length - first.at;
      const size = Math.min(left, stream.window, this.#window, maxPayload);
      if (left > 0 && size <= 0) {
        this.#blocked.add(stream);
        return;
      }
      const isDone = size === left;
      const flags = isDone && first.isLast ? frameFlags.endStream : 0;
      const part = first.bytes.subarray(first.at, first.at + size);
      this.#send(frameBytes(frameTypes.data, { flags, id: stream.id }, part));
      first.at += size;
      stream.window -= size;
      this.#window -= size;
      if (isDone) stream.queue.shift();
    }
    this.#blocked.delete(stream);
  }

  /** Drops the unsent body of a stream. */
  forget(stream: OutgoingStream): void {
    this.#blocked.delete(stream);
  }

  /** Resets a stream. */
  reset(id: number): void {
    this.#send(frameBytes(frameTypes.reset, { id }, uint32(resetCodes.cancel)));
  }

  /** Sends a window update, for a stream or the connection. */
  grant(id: number, size: number): void {
    this.#send(frameBytes(frameTypes.windowUpdate, { id }, uint32(size)));
  }

  ping(): void {
    this.#send(frameBytes(frameTypes.ping, {}, new Uint8Array(8)));
  }

  answerPing(payload: Uint8Array): void {
    this.#send(frameBytes(frameTypes.ping, { flags: frameFlags.ack }, payload));
  }

  /** Applies the server's settings. */
  takeSettings(received: ReadonlyMap<number, number>, streams: Iterable<OutgoingStream>): void {
    const tableSize = received.get(settings.headerTableSize);
    if (tableSize !== undefined) this.#encoder.shrink(tableSize);
    const window = received.get(settings.initialWindowSize);
    if (window !== undefined) {
      for (const stream of streams) stream.window += window - this.#initialWindow;
      this.#initialWindow = window;
    }
    this.#send(frameBytes(frameTypes.settings, { flags: frameFlags.ack }, []));
    for (const stream of this.#blocked) this.push(stream);
  }

  /** Applies a window update of the server, for a stream or the connection. */
  takeWindow(more: number, stream?: OutgoingStream): void {
    if (stream) stream.window += more;
    else this.#window += more;
    for (const one of stream ? [stream] : this.#blocked) if (this.#blocked.has(one)) this.push(one);
  }

  #send(bytes: Uint8Array): void {
    if (this.#out.push(bytes) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const out = this.#out;
    this.#out = [];
    if (this.#socket?.destroyed === false) this.#socket.write(Buffer.concat(out));
  }
}

/** Headers that differ in each request are not added to the table. */
const varying: ReadonlySet<string> = new Set(["grpc-timeout"]);
