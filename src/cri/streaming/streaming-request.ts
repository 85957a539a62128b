import type { ByteStream } from "../../base/network.ts";

/** A request to stream, as far as its protocol depends on it. */
export interface StreamingRequest {
  readonly method: string;
  /** By lower-case name; the values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface StreamingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Takes over the connection for another protocol; resolves when it is done. */
  readonly takeOver?: ((stream: ByteStream) => Promise<void>) | undefined;
}

/** Whether a request wants to become a WebSocket. */
export const isWebSocketRequest = ({ headers }: StreamingRequest): boolean =>
  headers.upgrade?.toLowerCase() === "websocket" &&
  (headers.connection?.toLowerCase().includes("upgrade") ?? false);

/** A rejection in plain text, as Go's HTTP server writes it. */
export const rejection = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): StreamingResponse => ({
  status,
  headers: {
    ...headers,
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  },
  body: `${text}\n`,
});
