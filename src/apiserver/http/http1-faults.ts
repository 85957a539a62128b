import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiResponse } from "../request/request.ts";

/** The response to an HTTP/1.1 request that parses but is not acceptable; the messages are Go's. */
export function headFault(request: IncomingMessage): ApiResponse | undefined {
  const { httpVersionMajor, httpVersionMinor, rawHeaders, headers } = request;
  if (httpVersionMajor !== 1) return fault(400, "400 Bad Request");
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && isHost(rawHeaders[i - 1] ?? ""));
  if (hosts.length === 0 && httpVersionMinor >= 1)
    return fault(400, "400 Bad Request: missing required Host header");
  if (hosts.length > 1) return fault(400, "400 Bad Request: too many Host headers");
  if (!hosts.every((host) => validHost.test(host)))
    return fault(400, "400 Bad Request: malformed Host header");
  const encoding = httpVersionMinor >= 1 ? headers["transfer-encoding"] : undefined;
  if (encoding !== undefined && encoding.toLowerCase() !== "chunked")
    return fault(501, "Unsupported transfer encoding");
  return undefined;
}

/** Responds to bytes that cannot be parsed as HTTP, and closes the connection. */
export function answerParserFault(
  error: Error & { readonly code?: string },
  socket: Duplex,
  response: ServerResponse | undefined,
): void {
  // Part of a response is sent: the client would take another one for the rest of it.
  const isResponding = response?.headersSent && !response.writableFinished;
  if (!socket.writable || isResponding) {
    socket.destroy(error);
    return;
  }
  // An earlier request on this connection is in progress: its response comes first.
  if (response?.req.complete && !response.writableFinished) {
    response.shouldKeepAlive = false;
    response.once("finish", () => socket.end());
    return;
  }
  const status = statuses[error.code ?? ""] ?? "400 Bad Request";
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n`;
  socket.end(`${head}\r\n${status}`, () => socket.destroy());
}

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

const isHost = (name: string): boolean => name.toLowerCase() === "host";

/** The characters that a host, its port and its escapes consist of. */
const validHost = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;

function fault(status: number, body: string): ApiResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", connection: "close" };
  return { status, headers, body };
}
