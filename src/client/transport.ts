/** As client-go's: JSON if possible, but documents that have another form are welcome, too. */
export const defaultAccept = "application/json, */*";

/**
 * An API request as a transport sends it: over the network, or by calling a server in the same process.
 */
export interface TransportRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Percent-encoded, without the question mark. */
  readonly query: string;
  /**
   * Lower-case names; each character of a value is one byte. `accept` defaults to `defaultAccept`, and
   * `content-type` to JSON.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Objects are sent as JSON, or passed on without a copy: do not change them afterwards. Strings and
   * bytes are sent as they are; `content-type` says what they contain.
   */
  readonly body?: object | string | Uint8Array | undefined;
  /** Aborts the request, reading the response included; it then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A response whose headers have arrived. Its body can be read once, by one of the three methods. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are in the order in which they arrived. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The whole body: the parsed JSON, the text of any other content type, undefined if it is empty. */
  value(): Promise<unknown>;
  /**
   * A stream of JSON values, such as a watch, in the batches in which they arrive. Throws if the
   * connection breaks inside a value or the signal aborts; leaving the loop aborts the request.
   */
  values(): AsyncIterable<readonly unknown[]>;
  /** The bytes as they arrive, for example of a log. */
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * Sends a request and resolves with its response, whatever the status code. Rejects with a
 * `TransportError` if there is no response, and with the signal's reason if it aborts.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** There was no response or only a part of it: the server is unreachable, or the connection broke. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

/** Returns the first value of a header. */
export function header(
  { headers }: Pick<TransportResponse, "headers">,
  name: string,
): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value[0] : value;
}
