import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiHeaders, ApiResponse } from "../request.ts";
import { type Connection, Exchange, type ResponseHead } from "./exchange.ts";
import { headFault } from "./http1-faults.ts";

/** Serves one HTTP/1.1 request. */
export function serveMessage(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const exchange = new Http1Exchange(connection, request, response);
  const fault = headFault(request);
  if (fault) exchange.refuse(fault);
  else if (hasBody(request)) exchange.receive(request);
  else exchange.serve();
}

class Http1Exchange extends Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(connection: Connection, request: IncomingMessage, response: ServerResponse) {
    super(
      connection,
      {
        method: request.method ?? "",
        url: originForm(request.url ?? ""),
        headers: request.headers as ApiHeaders,
        rawHeaders: request.rawHeaders,
      },
      response,
    );
    request.on("error", ignore);
    this.#request = request;
    this.#response = response;
  }

  protected override sendHead({ status, headers, size, last }: ResponseHead): void {
    const response = this.#response;
    // Node leaves the connection open after this answer unless told; a stopping server wants it back.
    if (this.service.stopping) response.shouldKeepAlive = false;
    if (size !== undefined) response.setHeader("content-length", size);
    response.writeHead(status, headers as Record<string, string | string[]>);
    if (last) response.end();
    else if (size === undefined) response.flushHeaders();
  }

  protected override sendContinue(): void {
    this.#response.writeContinue();
  }

  /** The connection closes, but not at once: a client that is still sending would lose the answer. */
  override refuse(response: ApiResponse): void {
    const { socket } = this.#request;
    this.#response.shouldKeepAlive = false;
    this.respond(response);
    this.#request.resume();
    const timer = setTimeout(() => socket.destroy(), lingerTime);
    socket.once("close", () => clearTimeout(timer));
  }
}

const lingerTime = 500;

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** A client may send the whole URL, as to a proxy: what counts is path and query. */
function originForm(url: string): string {
  if (url.startsWith("/") || !URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function ignore(): void {}
