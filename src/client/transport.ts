/** A call of the API as a transport carries it: over a network, or as a function in the same process. */
export interface TransportRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Percent-encoded, without the question mark. */
  readonly query: string;
  /** Lower-case names, values of one byte per character. `accept` and `content-type` are those of JSON where they are not given. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * A value is sent as JSON, or handed over as it is: nobody changes it afterwards. Text and bytes are
   * what `content-type` says.
   */
  readonly body?: object | string | Uint8Array | undefined;
  /** Ends the call, the answer included, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer whose headers have arrived. Its body is read once, in one of the three ways. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; several headers of one name are in the order in which they came. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** All of it: the value of JSON, and of anything else the text; undefined where there is nothing. */
  value(): Promise<unknown>;
  /**
   * The values of a stream of them, such as a watch, as many at a time as have arrived. It ends as the
   * stream does, and throws where the stream breaks in the middle of one or the signal aborts; whoever
   * stops asking ends the call.
   */
  values(): AsyncIterable<readonly unknown[]>;
  /** Bytes as they arrive: logs, for example. */
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * Sends a call and resolves with any answer, refusals included; rejects with a `TransportError` where
 * there is none, and with the reason of its signal.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** No answer, or not the whole of it: nobody was reached, or the connection broke. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

/** The first header of a name. */
export function header(
  { headers }: Pick<TransportResponse, "headers">,
  name: string,
): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value[0] : value;
}
