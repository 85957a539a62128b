import { type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import type { ByteStream } from "../../base/network.ts";
import { byteStream } from "../../platform/byte-stream.ts";
import type { ApiHeaders, ApiResponse } from "../request/request.ts";
import { type Connection, Exchange, type ResponseHead } from "./http-exchange.ts";
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

/**
 * Serves a request that asks to change the protocol. The handler decides whether it does; any other response
 * is the last one on this connection, which Node no longer manages.
 */
export function serveUpgrade(
  connection: Connection,
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on("finish", () => socket.end());
  if (head.length > 0) socket.unshift(head);
  const exchange = new Http1Exchange(connection, request, response);
  const size = Number(request.headers["content-length"] ?? 0);
  if (size > 0) exchange.receive(Readable.from(bodyAhead(socket, size)));
  else exchange.serve();
}

/** The body of a request that Node has stopped reading; bytes after it stay in the socket. */
async function* bodyAhead(socket: Duplex, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    const bytes = (piece as Buffer).subarray(0, left);
    const rest = (piece as Buffer).subarray(bytes.length);
    if (rest.length > 0) socket.unshift(rest);
    left -= bytes.length;
    yield bytes;
    if (left === 0) return;
  }
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
    // Node keeps the connection open by default; a stopping server closes it after this response.
    if (this.service.stopping) response.shouldKeepAlive = false;
    if (size !== undefined) response.setHeader("content-length", size);
    response.writeHead(status, headers as Record<string, string | string[]>);
    if (last) response.end();
    else if (size === undefined) response.flushHeaders();
  }

  protected override handOver({ status, headers }: ApiResponse): ByteStream {
    const { socket } = this.#request;
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name}: ${one}\r\n`),
    );
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n`;
    this.#response.detachSocket(socket);
    socket.allowHalfOpen = true;
    socket.on("close", () => this.#response.emit("close"));
    const stream = byteStream(socket);
    socket.write(Buffer.from(head, "latin1"));
    return stream;
  }

  protected override sendContinue(): void {
    this.#response.writeContinue();
  }

  /** Closes the connection later: a client that is still sending would otherwise lose the response. */
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

/** Path and query of a URL: a client may send the absolute form, as to a proxy. */
function originForm(url: string): string {
  if (url.startsWith("/") || !URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function ignore(): void {}
