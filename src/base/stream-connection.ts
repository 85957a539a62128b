import type { ByteStream } from "./network.ts";

/** Many streams of bytes through one connection, each with headers, such as SPDY has them. */
export interface StreamConnection {
  /** Aborted when the connection has ended, by either side. */
  readonly signal: AbortSignal;
  /** Opens a stream; resolves when the peer has accepted it. */
  open(headers: StreamHeaders): Promise<ConnectionStream>;
  /** Resets all streams, sends what is queued, and closes the connection. */
  close(): Promise<void>;
}

/** One stream of a connection: `end` closes our direction, `destroy` resets both. */
export interface ConnectionStream extends ByteStream {
  readonly id: number;
  readonly headers: StreamHeaders;
}

/** Headers by lower-case name. */
export type StreamHeaders = Readonly<Record<string, string>>;

/** Decides about a stream that the peer opens: a stream that is not accepted is reset. */
export type AcceptStream = (stream: ConnectionStream) => boolean;

/** Begins the server's side of a connection on a stream of bytes. */
export type ServeStreams = (stream: ByteStream, accept: AcceptStream) => StreamConnection;

/** Opens the client's side of a connection at an address, with one of these protocols. */
export type DialStreams = (
  address: string,
  options: DialProtocols,
) => Promise<{ readonly connection: StreamConnection; readonly protocol: string }>;

export interface DialProtocols {
  /** The preferred first. */
  readonly protocols: readonly string[];
  readonly signal: AbortSignal;
}

/** A stream was reset, by either side. */
export class StreamResetError extends Error {
  override readonly name = "StreamResetError";

  constructor() {
    super("Stream reset");
  }
}
