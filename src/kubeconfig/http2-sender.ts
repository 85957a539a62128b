import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../base/clock.ts";
import { onAbort } from "../base/on-abort.ts";
import { brokenMessage } from "../platform/dial-message.ts";
import {
  type Exchange,
  ExchangeError,
  headersOf,
  type Sender,
  type WireRequest,
} from "./wire-exchange.ts";

/** One HTTP/2 connection, with concurrent requests. */
export interface Http2Sender extends Sender {
  /** Whether another request can be sent on it. */
  canTake(): boolean;
  /** Accepts no more requests, and closes when pending ones are done. */
  retire(): void;
  /** Closes the connection at once. */
  close(): void;
}

export interface Http2Options {
  readonly authority: string;
  readonly clock: Clock;
  /** How long a connection with pending requests may be silent before a ping is sent. */
  readonly readIdleMs: number;
  /** How long the answer to a ping may take. */
  readonly pingMs: number;
}

/** Go's idle timeout. */
const idleMs = 90_000;
/** The receive windows of a stream and of the connection. */
const streamWindow = 4 << 20;
const connectionWindow = 64 << 20;

export function http2Sender(socket: Socket, options: Http2Options): Http2Sender {
  const { authority } = options;
  const session = connect(`https://${authority}`, {
    createConnection: () => socket,
    settings: { initialWindowSize: streamWindow, enablePush: false },
  });
  let open = 0;
  let served = 0;
  let failure: string | undefined;
  session.once("connect", () => session.setLocalWindowSize(connectionWindow));
  session.on("error", (error) => {
    failure ??= brokenMessage(error);
  });
  session.on("goaway", (code: number, lastStreamID: number, debug?: Uint8Array) => {
    const text = JSON.stringify(debug ? Buffer.from(debug).toString() : "");
    failure ??= `http2: server sent GOAWAY and closed the connection; LastStreamID=${lastStreamID}, ErrCode=${codeName(code)}, debug=${text}`;
  });
  /** Without an error, streams would look complete. */
  const breakOff = (message: string): void => {
    failure ??= message;
    session.destroy(new Error(message));
  };
  const health = watchHealth(session, socket, {
    ...options,
    lost: (message) => breakOff(message),
  });
  session.setTimeout(idleMs, () => {
    if (open === 0) session.close();
  });
  session.unref();

  const begin = (): void => {
    if (open++ > 0) return;
    session.ref();
    health.begin();
  };
  const end = (): void => {
    if (--open > 0) return;
    health.end();
    if (!session.destroyed) session.unref();
  };

  return {
    canTake: () =>
      !session.closed &&
      !session.destroyed &&
      open < (session.remoteSettings?.maxConcurrentStreams ?? 100),
    send(wire, signal) {
      const reused = served++ > 0;
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const stream = requested(session, wire);
        let settled = false;
        begin();
        const cancel = (reason: Error): void => {
          stream.close(constants.NGHTTP2_CANCEL);
          stream.destroy(reason);
        };
        const settle = (): boolean => {
          const isFirst = !settled;
          settled = true;
          if (isFirst) unfollow();
          return isFirst;
        };
        const unfollow = onAbort(signal, () => {
          if (settle()) reject(signal?.reason);
          cancel(signal?.reason);
        });
        const why = (error?: Error): string => failure ?? streamFault(stream, error);
        const fail = (error?: Error): void => {
          if (!settle()) return;
          const notSent = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
          reject(new ExchangeError(why(error), { notSent, reused, cause: error }));
        };
        stream.on("error", fail);
        stream.once("close", () => {
          end();
          fail();
        });
        stream.once("response", (headers, _, raw?: readonly string[]) => {
          if (settle()) resolve(exchangeOf(stream, { headers, raw, why, cancel }));
        });
        if (wire.body !== undefined) stream.end(wire.body);
      });
    },
    retire: () => session.close(),
    close: () => breakOff("http2: client connection force closed via ClientConn.Close"),
  };
}

function requested(session: ClientHttp2Session, wire: WireRequest): ClientHttp2Stream {
  try {
    return session.request(headersFor(wire), { endStream: wire.body === undefined });
  } catch (cause) {
    // The connection was closed after it was chosen.
    throw new ExchangeError((cause as Error).message, { notSent: true, cause });
  }
}

function headersFor({
  method,
  target,
  authority,
  headers,
  body,
}: WireRequest): OutgoingHttpHeaders {
  const own: OutgoingHttpHeaders = {
    ":method": method,
    ":path": target,
    ":scheme": "https",
    ":authority": authority,
  };
  for (const [name, value] of Object.entries(headers))
    own[name] = typeof value === "string" ? value : [...value];
  if (body !== undefined) own["content-length"] = Buffer.byteLength(body);
  return own;
}

function exchangeOf(
  stream: ClientHttp2Stream,
  {
    headers,
    raw,
    why,
    cancel,
  }: {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly raw: readonly string[] | undefined;
    readonly why: (error?: Error) => string;
    readonly cancel: (reason: Error) => void;
  },
): Exchange {
  return {
    status: Number(headers[":status"]),
    headers: headersOf(raw ?? []),
    body: stream,
    // Node ends a stream without an error if it was reset with CANCEL, or its connection was closed.
    shortened: () =>
      stream.rstCode === undefined || stream.rstCode === constants.NGHTTP2_NO_ERROR
        ? undefined
        : why(),
    abandon: cancel,
  };
}

/** The error of a stream that ended without a response, in Go's words. */
function streamFault(stream: ClientHttp2Stream, error: Error | undefined): string {
  const { rstCode, id, session } = stream;
  if (rstCode === undefined || session?.destroyed !== false) return "unexpected EOF";
  if (rstCode === constants.NGHTTP2_NO_ERROR) return error?.message ?? "unexpected EOF";
  return `stream error: stream ID ${id}; ${codeName(rstCode)}; received from peer`;
}

function codeName(code: number): string {
  return codeNames[code] ?? `unknown error code 0x${code.toString(16)}`;
}

const codeNames: readonly string[] = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

/**
 * Detects dead connections: after a silence with pending requests a ping is sent, which must be
 * answered.
 */
function watchHealth(
  session: ClientHttp2Session,
  socket: Socket,
  { clock, readIdleMs, pingMs, lost }: Http2Options & { readonly lost: (message: string) => void },
): { begin(): void; end(): void } {
  // Node counts received bytes without a time: frequent checks make the measurement precise.
  const step = readIdleMs / 3;
  let timer: Timer | undefined;
  let heard = clock.now();
  let bytes = 0;
  const note = (): void => {
    if (socket.bytesRead === bytes) return;
    bytes = socket.bytesRead;
    heard = clock.now();
  };
  const look = (): void => {
    note();
    const silence = clock.now() - heard;
    if (silence < readIdleMs) wait(Math.min(step, readIdleMs - silence));
    else ask();
  };
  const wait = (ms: number): void => {
    timer = clock.setTimer(ms, look);
  };
  const ask = (): void => {
    timer = clock.setTimer(pingMs, () => lost("http2: client connection lost"));
    session.ping(() => {
      timer?.cancel();
      note();
      if (!session.destroyed && timer !== undefined) wait(step);
    });
  };
  return {
    begin() {
      if (readIdleMs <= 0) return;
      look();
    },
    end() {
      timer?.cancel();
      timer = undefined;
      note();
    },
  };
}
