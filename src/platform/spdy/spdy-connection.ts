import type { Clock, Timer } from "../../base/clock.ts";
import type { ByteStream } from "../../base/network.ts";
import { repeat } from "../../base/repeat.ts";
import {
  type AcceptStream,
  type ConnectionStream,
  type StreamConnection,
  type StreamHeaders,
  StreamResetError,
} from "../../base/stream-connection.ts";
import { realClock } from "../real-clock.ts";
import { decodeHeaderBlock, encodeHeaderBlock } from "./header-block.ts";
import { HeaderDecompressor } from "./header-compression.ts";
import { SpdyFrameReader } from "./spdy-frame-reader.ts";
import {
  type ControlFrame,
  controlTypes,
  type DataPiece,
  defaultWindow,
  finFlag,
  goAwayCodes,
  initialWindowSetting,
  largestNumber,
  numberAt,
  resetCodes,
  SpdyError,
} from "./spdy-frames.ts";
import { SpdyOutput } from "./spdy-output.ts";
import { SpdyStream, type StreamLink } from "./spdy-stream.ts";

export interface SpdyConnectionOptions {
  readonly role: "client" | "server";
  /** Decides about streams that the peer opens; if absent, none is accepted. */
  readonly accept?: AcceptStream | undefined;
  readonly clock?: Clock | undefined;
  /** How often the peer is sent a ping, so that no proxy closes a silent connection; never if not given. */
  readonly pingMs?: number | undefined;
}

/**
 * A connection of SPDY/3.1. Windows are enforced only with a peer that has shown that it has them: Kubernetes'
 * own implementation never sends window updates. With such a peer, a stream that is not read blocks the whole
 * connection once too much is buffered.
 */
export class SpdyConnection implements StreamConnection {
  readonly #stream: ByteStream;
  readonly #isServer: boolean;
  readonly #accept: AcceptStream;
  readonly #clock: Clock;
  readonly #output: SpdyOutput;
  readonly #decompressor = new HeaderDecompressor();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #ended = new AbortController();
  readonly #link: StreamLink;
  /** Bytes received on all streams that were not read. */
  #buffered = 0;
  #unacknowledged = 0;
  #nextId: number;
  #nextPing: number;
  #lastPeerId = 0;
  #isLeaving = false;
  #isPeerLeaving = false;
  /** Continues reading after it was paused. */
  #resume: () => void = () => {};
  /** Resolves when nothing is read any more. */
  readonly #listening: Promise<void>;
  readonly #pings: Timer | undefined;

  constructor(stream: ByteStream, options: SpdyConnectionOptions) {
    const { role, accept = () => false, clock = realClock } = options;
    this.#stream = stream;
    this.#clock = clock;
    this.#isServer = role === "server";
    this.#accept = accept;
    this.#nextId = this.#isServer ? 2 : 1;
    this.#nextPing = this.#nextId;
    this.#output = new SpdyOutput(stream, (error) => this.#fail(error));
    this.#link = {
      reserve: (one, wanted) => this.#output.reserve(one, wanted),
      sendData: (one, bytes, isLast) => this.#output.data(one.id, bytes, isLast),
      sendReset: ({ id }) => this.#output.control(controlTypes.rstStream, [id, resetCodes.cancel]),
      consumed: (one, bytes) => this.#consumed(one, bytes),
      forget: (one) => this.#forget(one),
    };
    this.#output.control(controlTypes.settings, [1, initialWindowSetting, defaultWindow]);
    this.#output.control(controlTypes.windowUpdate, [0, connectionWindow - defaultWindow]);
    const { pingMs: ownPingMs } = options;
    this.#pings =
      ownPingMs === undefined ? undefined : repeat(clock, ownPingMs, () => this.#ping());
    this.#listening = this.#listen();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  async open(headers: StreamHeaders): Promise<ConnectionStream> {
    if (this.#isLeaving || this.#isPeerLeaving || this.signal.aborted)
      throw new Error("the connection is closed");
    const stream = this.#add(this.#nextId, headers);
    this.#nextId += 2;
    const block = encodeHeaderBlock(headers);
    this.#output.headers(controlTypes.synStream, { numbers: [stream.id, 0], between: 2, block });
    await stream.opened;
    return stream;
  }

  async close(): Promise<void> {
    if (this.signal.aborted) return;
    if (!this.#isLeaving) {
      for (const stream of [...this.#streams.values()]) stream.destroy();
      this.#leave(goAwayCodes.ok);
      this.#resume();
    }
    // A client may still read the last output; a server has no use for what a client has not sent yet.
    const giveUp = (): void => this.#stream.destroy();
    const hurry = this.#isServer ? undefined : this.#clock.setTimer(hurryMs, giveUp);
    await this.#output.finish();
    await this.#stream.end().catch(() => {});
    // Read on: closing with unread input would make the system drop what the peer has not received yet.
    const timer = this.#clock.setTimer(leaveMs, giveUp);
    await this.#listening;
    timer.cancel();
    hurry?.cancel();
  }

  #leave(code: number): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#output.control(controlTypes.goAway, [this.#lastPeerId, code]);
  }

  async #listen(): Promise<void> {
    const frames = new SpdyFrameReader();
    let failure = new Error("the connection is closed");
    try {
      for (let bytes = await this.#stream.read(); bytes; bytes = await this.#stream.read())
        for (const frame of frames.push(bytes)) {
          if (frame.type === "data") await this.#takeData(frame);
          else await this.#takeControl(frame);
        }
    } catch (error) {
      if (error instanceof Error) failure = error;
      if (error instanceof SpdyError) await this.#reject();
    }
    this.#fail(failure);
  }

  /** Tells the peer that it broke the protocol. */
  async #reject(): Promise<void> {
    this.#leave(goAwayCodes.protocolError);
    const timer = this.#clock.setTimer(leaveMs, () => this.#stream.destroy());
    await this.#output.finish();
    await this.#stream.end().catch(() => {});
    timer.cancel();
  }

  #fail(error: Error): void {
    if (this.signal.aborted) return;
    this.#pings?.cancel();
    this.#ended.abort(error);
    for (const stream of this.#streams.values()) stream.fail(error);
    this.#streams.clear();
    this.#output.fail(error);
    this.#decompressor.close();
    this.#resume();
    this.#stream.destroy();
  }

  async #takeData({ id, bytes, isLast }: DataPiece): Promise<void> {
    this.#buffered += bytes.length;
    const stream = this.#streams.get(id);
    if (!stream) {
      const isPeers = id % 2 === Number(this.#isServer);
      if (id > (isPeers ? this.#lastPeerId : this.#nextId - 2))
        throw new SpdyError("Invalid stream id");
      // The stream was reset while its data was on the way.
      this.#consumed(undefined, bytes.length);
      return;
    }
    // The buffer in which bytes arrived is larger than a short piece of it.
    stream.receive(bytes.length < bytes.buffer.byteLength / 4 ? bytes.slice() : bytes);
    if (isLast) stream.receiveEnd();
    if (!this.#isFull(stream)) return;
    // A peer that disconnects meanwhile is not noticed by reading.
    const pings = repeat(this.#clock, pingMs, () => this.#ping());
    while (this.#isFull(stream))
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    pings.cancel();
  }

  #ping(): void {
    this.#output.control(controlTypes.ping, [this.#nextPing]);
    this.#nextPing = (this.#nextPing + 2) & largestNumber;
  }

  /** Whether reading must pause; a peer that respects windows never sends so much. */
  #isFull(stream: SpdyStream): boolean {
    if (this.signal.aborted || this.#isLeaving) return false;
    return stream.buffered > streamLimit || this.#buffered > connectionWindow;
  }

  #consumed(stream: SpdyStream | undefined, bytes: number): void {
    this.#buffered -= bytes;
    this.#resume();
    this.#unacknowledged += bytes;
    if (stream) stream.unacknowledged += bytes;
    if (!this.#output.hasWindows || this.signal.aborted) return;
    if (this.#unacknowledged >= connectionWindow / 2) {
      this.#output.control(controlTypes.windowUpdate, [0, this.#unacknowledged]);
      this.#unacknowledged = 0;
    }
    if (stream && stream.unacknowledged >= defaultWindow / 2 && this.#streams.has(stream.id)) {
      this.#output.control(controlTypes.windowUpdate, [stream.id, stream.unacknowledged]);
      stream.unacknowledged = 0;
    }
  }

  async #takeControl(frame: ControlFrame): Promise<void> {
    const { control, flags, payload } = frame;
    switch (control) {
      case controlTypes.synStream:
        return this.#takeOpen(frame, await this.#headersIn(payload.subarray(10)));
      case controlTypes.synReply:
      case controlTypes.headers: {
        await this.#headersIn(payload.subarray(4));
        const stream = this.#streams.get(numberAt(payload, 0));
        if (control === controlTypes.synReply) stream?.accepted();
        if ((flags & finFlag) !== 0) stream?.receiveEnd();
        return;
      }
      case controlTypes.rstStream: {
        const stream = this.#streams.get(numberAt(payload, 0));
        if (!stream) return;
        stream.fail(new StreamResetError());
        this.#forget(stream);
        return;
      }
      case controlTypes.settings:
        return this.#takeSettings(payload);
      case controlTypes.windowUpdate: {
        const id = numberAt(payload, 0);
        this.#output.grant(id === 0 ? undefined : this.#streams.get(id), {
          isConnection: id === 0,
          bytes: numberAt(payload, 4),
        });
        return;
      }
      case controlTypes.ping: {
        const id = numberAt(payload, 0);
        // Our own pings have our parity; only the peer's are answered.
        if ((id % 2 === 1) === this.#isServer) this.#output.control(controlTypes.ping, [id]);
        return;
      }
      case controlTypes.goAway:
        this.#isPeerLeaving = true;
    }
  }

  #takeOpen({ flags, payload }: ControlFrame, headers: StreamHeaders): void {
    const id = numberAt(payload, 0);
    if (id % 2 === Number(!this.#isServer) || id <= this.#lastPeerId)
      throw new SpdyError("Invalid stream id");
    this.#lastPeerId = id;
    const stream = this.#streams.size < mostStreams && this.#add(id, headers);
    if (!stream) {
      this.#output.control(controlTypes.rstStream, [id, resetCodes.refusedStream]);
      return;
    }
    if (!this.#accept(stream)) {
      stream.destroy();
      return;
    }
    const block = encodeHeaderBlock({});
    this.#output.headers(controlTypes.synReply, { numbers: [id], between: 0, block });
    stream.accepted();
    if ((flags & finFlag) !== 0) stream.receiveEnd();
  }

  #takeSettings(payload: Uint8Array): void {
    const count = numberAt(payload, 0);
    if (payload.length !== 4 + count * 8) throw new SpdyError("invalid control frame");
    for (let at = 4; at < payload.length; at += 8)
      if ((numberAt(payload, at) & 0xffffff) === initialWindowSetting)
        this.#output.setInitialWindow(numberAt(payload, at + 4), this.#streams.values());
  }

  async #headersIn(block: Uint8Array): Promise<StreamHeaders> {
    return decodeHeaderBlock(await this.#decompressor.decompress(block));
  }

  #add(id: number, headers: StreamHeaders): SpdyStream {
    if (id > largestNumber) throw new Error("Unable to get new stream id");
    const window = this.#output.initialWindow;
    const stream = new SpdyStream({ id, headers, link: this.#link, window });
    this.#streams.set(id, stream);
    return stream;
  }

  #forget(stream: SpdyStream): void {
    this.#streams.delete(stream.id);
    this.#output.wake();
  }
}

/** How much may be buffered of all streams. */
const connectionWindow = 4 * 1024 * 1024;
/** How much is buffered of a stream whose peer ignores windows. */
const streamLimit = 1024 * 1024;
const mostStreams = 1000;
const pingMs = 10_000;
/** How long to wait for a peer that does not close its side. */
const leaveMs = 10_000;
/** How long a client waits until it breaks off what it sends. */
const hurryMs = 1000;
