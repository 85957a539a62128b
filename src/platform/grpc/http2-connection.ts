import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure, type SecureContextOptions } from "node:tls";
import type { Dial } from "../dial-socket.ts";
import { type HeaderField, HpackDecoder } from "./hpack-decoder.ts";
import {
  type Frame,
  FrameReader,
  frameFlags,
  frameTypes,
  resetCodes,
  settings,
  unpadded,
} from "./http2-frames.ts";
import { Http2Output, type OutgoingStream } from "./http2-output.ts";

export interface Http2ConnectionOptions {
  /** `HOST:PORT`, or `unix://PATH` */
  readonly address: string;
  /** Not given: without TLS. */
  readonly tls?: SecureContextOptions | undefined;
  /** Opens the connection below TLS, other than to a socket of this machine; directly if not given. */
  readonly dial?: Dial | undefined;
  /** After so many milliseconds of silence a ping is sent; the connection is closed if it is not answered. */
  readonly pingMs: number;
  /** Called once the server is known to speak HTTP/2. */
  readonly greeted?: (() => void) | undefined;
  /** Called once, when the connection has ended or could not be opened. */
  readonly ended?: (() => void) | undefined;
}

/** The error of a stream that ended before the server completed it. */
export interface Http2Fault {
  readonly error: Error | undefined;
  /** Whether the server has certainly not acted on it: it was never sent, or refused unprocessed. */
  readonly wasNotSent: boolean;
}

/** Receives the headers and data of a stream, then its end, once. */
export interface Http2Receiver {
  headers(fields: readonly HeaderField[]): void;
  data(bytes: Uint8Array): void;
  end(fault: Http2Fault | undefined): void;
}

/** A pending request. */
export interface Http2Stream {
  /** Whether any of it was sent to the server. */
  readonly wasSent: boolean;
  write(bytes: Uint8Array, isLast: boolean): void;
  /** Ends the request's body. */
  finish(): void;
  /** Cancels the request; its receiver is not called any more. */
  cancel(): void;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

function placeOf(address: string, isSecure: boolean): Place {
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(port || (isSecure ? 443 : 80)) };
}

/** Connects to an address, with TLS if it is given. */
function connected(address: string, tls: SecureContextOptions | undefined): Socket {
  if (address.startsWith(unixScheme)) return connectPlain(address.slice(unixScheme.length));
  const place = placeOf(address, tls !== undefined);
  return tls ? connectSecure({ ...place, ...secureOptions(place, tls) }) : connectPlain(place);
}

const secureOptions = ({ host }: Place, tls: SecureContextOptions) => ({
  ...tls,
  ...(isIP(host) === 0 && { servername: host }),
  ALPNProtocols: ["h2"],
});

const unixScheme = "unix://";

/** The receive windows. */
const receiveWindow = 4 * 1024 * 1024;
const lastStreamId = 0x7fffffff;
/** 256 KiB: the limit of one header block, so that an endless one cannot fill the memory. */
const mostHeaderFrames = 16;

interface Stream extends OutgoingStream {
  id: number;
  readonly fields: readonly HeaderField[];
  readonly receiver: Http2Receiver;
  /** Bytes received for which no window update was sent yet. */
  unread: number;
  isFinished: boolean;
  isOver: boolean;
}

/**
 * An HTTP/2 client connection for many small calls: everything sent in one turn of the event loop is one
 * write, and a call is not a Node stream, which would cost more than everything else.
 */
export class Http2Connection {
  #socket: Socket | undefined;
  readonly #dialling = new AbortController();
  readonly #sender = new Http2Output();
  readonly #scheme: HeaderField;
  readonly #authority: HeaderField;
  readonly #frames = new FrameReader();
  readonly #decoder = new HpackDecoder();
  /** Streams that were started, by id. */
  readonly #streams = new Map<number, Stream>();
  /** Streams that wait for the connection, or for others to end. */
  readonly #waiting = new Set<Stream>();
  readonly #keepAlive: NodeJS.Timeout;
  #greeted: (() => void) | undefined;
  readonly #ended: (() => void) | undefined;
  #isConnected = false;
  #isLeaving = false;
  #isClosed = false;
  #nextId = 1;
  #most = Number.POSITIVE_INFINITY;
  #unread = 0;
  /** A header block whose continuation has not arrived. */
  #block: { readonly id: number; readonly isEnd: boolean; parts: Uint8Array[] } | undefined;
  /** Whether anything was received since the last check. */
  #isAlive = true;

  constructor({ address, tls, dial, pingMs, greeted, ended }: Http2ConnectionOptions) {
    this.#greeted = greeted;
    this.#ended = ended;
    this.#scheme = [":scheme", tls ? "https" : "http"];
    this.#authority = [":authority", address.startsWith(unixScheme) ? "localhost" : address];
    if (dial && !address.startsWith(unixScheme)) void this.#dial(dial, address, tls);
    else this.#await(connected(address, tls), tls ? "secureConnect" : "connect");
    this.#keepAlive = setInterval(() => this.#look(), pingMs);
    this.#keepAlive.unref();
  }

  /** Whether new requests can be made on it. */
  get isUsable(): boolean {
    return !this.#isLeaving && !this.#isClosed;
  }

  /** Starts a POST request; its body follows. */
  request(path: string, fields: readonly HeaderField[], receiver: Http2Receiver): Http2Stream {
    const stream: Stream = {
      id: 0,
      fields: [[":method", "POST"], this.#scheme, [":path", path], this.#authority, ...fields],
      receiver,
      queue: [],
      window: 0,
      unread: 0,
      isFinished: false,
      isOver: false,
    };
    this.#waiting.add(stream);
    this.#startWaiting();
    const write = (bytes: Uint8Array, isLast: boolean): void => {
      if (stream.isOver || stream.isFinished) return;
      stream.queue.push({ bytes, at: 0, isLast });
      stream.isFinished = isLast;
      if (stream.id > 0) this.#sender.push(stream);
    };
    return {
      get wasSent() {
        return stream.id > 0;
      },
      write,
      finish: () => write(new Uint8Array(0), true),
      cancel: () => this.#cancel(stream),
    };
  }

  /** Closes the connection and fails all requests on it. */
  destroy(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    this.#dialling.abort();
    this.#socket?.destroy();
    const unsent = [...this.#waiting];
    this.#waiting.clear();
    for (const stream of unsent) this.#end(stream, { error, wasNotSent: true });
    for (const stream of [...this.#streams.values()])
      this.#end(stream, { error, wasNotSent: false });
    this.#ended?.();
  }

  async #dial(dial: Dial, address: string, tls: SecureContextOptions | undefined): Promise<void> {
    const place = placeOf(address, tls !== undefined);
    try {
      const socket = await dial(place, this.#dialling.signal);
      if (this.#isClosed) socket.destroy();
      else if (tls)
        this.#await(connectSecure({ socket, ...secureOptions(place, tls) }), "secureConnect");
      else this.#begin(this.#followed(socket));
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #await(socket: Socket, event: "connect" | "secureConnect"): void {
    this.#followed(socket).on(event, () => this.#begin(socket));
  }

  #followed(socket: Socket): Socket {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (piece: Buffer) => this.#read(piece));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
    return socket;
  }

  #begin(socket: Socket): void {
    if (this.#isClosed) return;
    this.#isConnected = true;
    this.#sender.greet(socket, receiveWindow);
    this.#startWaiting();
  }

  #startWaiting(): void {
    if (!this.#isConnected) return;
    for (const stream of this.#waiting) {
      if (this.#streams.size >= this.#most || !this.isUsable) return;
      this.#waiting.delete(stream);
      this.#start(stream);
    }
  }

  #start(stream: Stream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    if (this.#nextId > lastStreamId) this.#takeLeave(lastStreamId);
    this.#streams.set(stream.id, stream);
    this.#sender.begin(stream, stream.fields);
  }

  #cancel(stream: Stream): void {
    if (stream.isOver) return;
    stream.isOver = true;
    this.#waiting.delete(stream);
    if (stream.id === 0) return;
    this.#sender.reset(stream.id);
    this.#forget(stream);
  }

  #forget(stream: Stream): void {
    this.#streams.delete(stream.id);
    this.#sender.forget(stream);
    if (this.#isLeaving && this.#streams.size === 0) this.#socket?.destroySoon();
    else this.#startWaiting();
  }

  #end(stream: Stream, fault: Http2Fault | undefined): void {
    if (stream.isOver) return;
    stream.isOver = true;
    this.#forget(stream);
    stream.receiver.end(fault);
  }

  /** Pings a silent server, and closes the connection if the ping is not answered. */
  #look(): void {
    if (this.#streams.size === 0) return;
    if (!this.#isAlive && this.#isConnected) {
      this.destroy(new Error("the server does not answer pings"));
      return;
    }
    this.#isAlive = false;
    this.#sender.ping();
  }

  #read(piece: Buffer): void {
    this.#isAlive = true;
    try {
      for (const frame of this.#frames.read(piece)) {
        if (this.#isClosed) return;
        this.#take(frame);
      }
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(frame: Frame): void {
    const { type, flags, id, payload } = frame;
    if (type === frameTypes.data) this.#takeData(frame);
    else if (type === frameTypes.headers || type === frameTypes.continuation)
      this.#takeHeaders(frame);
    else if (type === frameTypes.reset) this.#takeReset(id, payload);
    else if (type === frameTypes.settings) this.#takeSettings(frame);
    else if (type === frameTypes.windowUpdate) this.#takeWindow(id, number(payload, 0));
    else if (type === frameTypes.goAway) this.#takeLeave(number(payload, 0) & lastStreamId);
    else if (type === frameTypes.ping && (flags & frameFlags.ack) === 0)
      this.#sender.answerPing(payload);
    else if (type === frameTypes.pushPromise)
      throw new Error("the server sent a push promise, though pushes are disabled");
  }

  #takeData(frame: Frame): void {
    const { length } = frame.payload;
    this.#unread += length;
    if (this.#unread >= receiveWindow / 2) {
      this.#sender.grant(0, this.#unread);
      this.#unread = 0;
    }
    const stream = this.#streams.get(frame.id);
    if (!stream) return;
    const isEnd = (frame.flags & frameFlags.endStream) !== 0;
    stream.unread += length;
    if (!isEnd && stream.unread >= receiveWindow / 2) {
      this.#sender.grant(frame.id, stream.unread);
      stream.unread = 0;
    }
    stream.receiver.data(unpadded(frame, false));
    if (isEnd) this.#takeEnd(stream);
  }

  #takeHeaders(frame: Frame): void {
    if (frame.type === frameTypes.headers) {
      const part = unpadded(frame, (frame.flags & frameFlags.priority) !== 0);
      const isEnd = (frame.flags & frameFlags.endStream) !== 0;
      this.#block = { id: frame.id, isEnd, parts: [part] };
    } else this.#block?.parts.push(frame.payload);
    const block = this.#block;
    if (!block || block.id !== frame.id) throw new Error("the server mixes up headers");
    if (block.parts.length > mostHeaderFrames)
      throw new Error(`the server sent headers in more than ${mostHeaderFrames} frames`);
    if ((frame.flags & frameFlags.endHeaders) === 0) return;
    this.#block = undefined;
    const [first] = block.parts;
    // Decode headers of unknown streams, too: later blocks may refer to their fields.
    const fields = this.#decoder.decode(
      first && block.parts.length === 1 ? first : Buffer.concat(block.parts),
    );
    const stream = this.#streams.get(block.id);
    if (!stream) return;
    stream.receiver.headers(fields);
    if (block.isEnd) this.#takeEnd(stream);
  }

  /** The server has completed the response; the rest of the request is not sent. */
  #takeEnd(stream: Stream): void {
    if (stream.isOver) return;
    if (!stream.isFinished || stream.queue.length > 0) this.#sender.reset(stream.id);
    this.#end(stream, undefined);
  }

  #takeReset(id: number, payload: Uint8Array): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    const code = number(payload, 0);
    const error = new Error(`the server ended the stream with code ${code}`);
    this.#end(stream, { error, wasNotSent: code === resetCodes.refusedStream });
  }

  #takeSettings({ flags, payload }: Frame): void {
    if ((flags & frameFlags.ack) !== 0) return;
    this.#greeted?.();
    this.#greeted = undefined;
    const received = new Map<number, number>();
    for (let at = 0; at + 6 <= payload.length; at += 6)
      received.set(number(payload, at) >>> 16, number(payload, at + 2));
    this.#most = received.get(settings.maxConcurrentStreams) ?? this.#most;
    this.#sender.takeSettings(received, this.#streams.values());
    this.#startWaiting();
  }

  #takeWindow(id: number, more: number): void {
    const stream = this.#streams.get(id);
    if (id === 0 || stream) this.#sender.takeWindow(more, stream);
  }

  /** The server accepts no more streams; those after the last it processed can be retried elsewhere. */
  #takeLeave(last: number): void {
    this.#isLeaving = true;
    const error = new Error("the server is going away");
    const refused = [...this.#streams.values()].filter(({ id }) => id > last);
    for (const stream of [...refused, ...this.#waiting]) {
      this.#waiting.delete(stream);
      this.#end(stream, { error, wasNotSent: true });
    }
    if (this.#streams.size === 0) this.#socket?.destroySoon();
  }
}

const number = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(at);
