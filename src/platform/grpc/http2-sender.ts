import type { Socket } from "node:net";
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

/** What a stream has to send. */
export interface OutgoingStream {
  /** 0 until it is begun. */
  readonly id: number;
  readonly queue: { readonly bytes: Uint8Array; at: number; readonly isLast: boolean }[];
  /** How much of it the server takes for now. */
  window: number;
}

/** What everybody takes who did not say otherwise. */
const defaultWindow = 65_535;
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * What goes to the server of a connection: all that is sent in one turn of the event loop in one write,
 * and of bodies no more than the server takes.
 */
export class Http2Sender {
  readonly #socket: Socket;
  readonly #encoder = new HpackEncoder();
  /** Those that have more to send than they may. */
  readonly #blocked = new Set<OutgoingStream>();
  #out: Uint8Array[] = [];
  #window = defaultWindow;
  #initialWindow = defaultWindow;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Says who we are, and how much may be under way to us. */
  greet(receiveWindow: number): void {
    const wanted = [
      [settings.enablePush, 0],
      [settings.initialWindowSize, receiveWindow],
    ] as const;
    this.#send(preface);
    const payload = wanted.flatMap(([name, value]) => [0, name, ...uint32(value)]);
    this.#send(frameBytes(frameTypes.settings, {}, payload));
    this.grant(0, receiveWindow - defaultWindow);
  }

  /** Begins a stream, and sends what it has. */
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

  /** Sends as much of what a stream has as it may. */
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

  /** Sends no more of a stream. */
  forget(stream: OutgoingStream): void {
    this.#blocked.delete(stream);
  }

  /** Tells the server that it needs not go on with a stream. */
  reset(id: number): void {
    this.#send(frameBytes(frameTypes.reset, { id }, uint32(resetCodes.cancel)));
  }

  /** Says that so much was read, of a stream or of all. */
  grant(id: number, size: number): void {
    this.#send(frameBytes(frameTypes.windowUpdate, { id }, uint32(size)));
  }

  ping(): void {
    this.#send(frameBytes(frameTypes.ping, {}, new Uint8Array(8)));
  }

  answerPing(payload: Uint8Array): void {
    this.#send(frameBytes(frameTypes.ping, { flags: frameFlags.ack }, payload));
  }

  /** Goes by what the server says of itself. */
  takeSettings(said: ReadonlyMap<number, number>, streams: Iterable<OutgoingStream>): void {
    const tableSize = said.get(settings.headerTableSize);
    if (tableSize !== undefined) this.#encoder.shrink(tableSize);
    const window = said.get(settings.initialWindowSize);
    if (window !== undefined) {
      for (const stream of streams) stream.window += window - this.#initialWindow;
      this.#initialWindow = window;
    }
    this.#send(frameBytes(frameTypes.settings, { flags: frameFlags.ack }, []));
    for (const stream of this.#blocked) this.push(stream);
  }

  /** The server takes so much more, of a stream or of all. */
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
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat(out));
  }
}

/** What is another in each request is not worth remembering. */
const varying: ReadonlySet<string> = new Set(["grpc-timeout"]);
