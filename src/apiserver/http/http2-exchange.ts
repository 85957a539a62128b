import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { ApiHeaders, ApiResponse } from "../request/request.ts";
import { type Connection, Exchange, type ResponseHead } from "./http-exchange.ts";

interface ReceivedHeaders {
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
}

/** Serves one request of an HTTP/2 connection. */
export function serveStream(
  connection: Connection,
  stream: ServerHttp2Stream,
  { headers, rawHeaders }: ReceivedHeaders,
): void {
  const exchange = new Http2Exchange(connection, stream, { headers, rawHeaders });
  if (stream.endAfterHeaders) exchange.serve();
  else exchange.receive(stream);
}

class Http2Exchange extends Exchange {
  readonly #stream: ServerHttp2Stream;

  constructor(
    connection: Connection,
    stream: ServerHttp2Stream,
    { headers, rawHeaders }: ReceivedHeaders,
  ) {
    headers.host ??= headers[":authority"];
    super(
      connection,
      {
        method: headers[":method"] ?? "",
        url: headers[":path"] ?? "/",
        headers: headers as ApiHeaders,
        rawHeaders,
      },
      stream,
    );
    this.#stream = stream;
  }

  protected override sendHead({ status, headers, size, last }: ResponseHead): void {
    const { connection, ...rest } = headers;
    const head: OutgoingHttpHeaders = { ":status": status };
    for (const name in rest) head[name] = rest[name] as string | string[];
    if (size !== undefined) head["content-length"] = size;
    this.#stream.respond(head, last ? endStream : undefined);
    // HTTP/2 has no `connection: close`: GOAWAY asks the client to reconnect instead. Requests that are
    // under way on the connection go on; new ones need another.
    if (connection === "close" || this.service.goaway?.()) this.#stream.session?.close();
  }

  protected override sendContinue(): void {
    this.#stream.additionalHeaders({ ":status": 100 });
  }

  /** A stream of HTTP/2 cannot change its protocol. */
  protected override handOver(): never {
    throw new Error("an HTTP/2 stream cannot be handed over");
  }

  protected override refuse(response: ApiResponse): void {
    this.respond(response);
    // Sent after the response, this reset makes the client stop sending.
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }
}

const endStream = { endStream: true } as const;
