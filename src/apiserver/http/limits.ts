/** The limits of one client; times are milliseconds. */
export interface Limits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  /** For the TLS handshake, and for the headers of an HTTP/1.1 request. */
  readonly headersTimeout: number;
  /** For the whole body of a request. */
  readonly bodyTimeout: number;
  /** For the client to read a response, or to continue reading a stream that has stalled. */
  readonly stallTimeout: number;
  /** For the client to read the end of a stream when the server stops. */
  readonly unreadTimeout: number;
  /** Until an idle connection is closed. */
  readonly idleTimeout: number;
  /** Idle time before the first TCP keep-alive probe. */
  readonly keepAliveDelay: number;
  readonly streamsPerConnection: number;
  /** Flow control of HTTP/2: what a client may send ahead, per request and per connection. */
  readonly streamWindow: number;
  readonly connectionWindow: number;
  /** Megabytes that one HTTP/2 connection may have queued before new requests on it are rejected. */
  readonly connectionMegabytes: number;
}

/** Upstream's limits, where it has them. */
export const defaultLimits: Limits = {
  bodyBytes: 3 * 1024 * 1024,
  headerBytes: 1024 * 1024,
  headersTimeout: 32_000,
  bodyTimeout: 60_000,
  stallTimeout: 60_000,
  unreadTimeout: 2000,
  idleTimeout: 90_000,
  keepAliveDelay: 60_000,
  streamsPerConnection: 250,
  streamWindow: 256 * 1024,
  connectionWindow: 8 * 1024 * 1024,
  connectionMegabytes: 256,
};
