import { ByteReader } from "../../base/http/byte-reader.ts";
import {
  encodeHead,
  type HeaderLines,
  MalformedHeaderError,
  readHeaders,
  writeChunks,
} from "../../base/http/http1-message.ts";
import type { ByteStream } from "../../base/network.ts";
import type { KubeletHandler, KubeletRequest, KubeletResponse } from "./kubelet-request.ts";
import { textResponse } from "./kubelet-request.ts";

/** Serves the one HTTP/1.1 request that comes through a connection, and closes the connection. */
export async function serveConnection(stream: ByteStream, handle: KubeletHandler): Promise<void> {
  const leaving = new AbortController();
  try {
    const reader = new ByteReader(stream);
    const request = await readRequest(reader, leaving.signal);
    if (!request) return;
    if (request === "malformed") {
      await writeResponse(stream, textResponse(400, "400 Bad Request"), "GET");
      return;
    }
    const response = await handle(request);
    if (response.takeOver) {
      await stream.write(responseHead(response, false));
      await response.takeOver(reader.remaining());
      return;
    }
    // The client sends nothing after its request: the end of the stream means that it disconnected.
    void watchEnd(reader.remaining(), leaving);
    await writeResponse(stream, response, request.method);
  } catch {
    // A client that disconnects early is not an error.
  } finally {
    leaving.abort();
    await stream.end().catch(() => {});
    stream.destroy();
  }
}

async function watchEnd(stream: ByteStream, leaving: AbortController): Promise<void> {
  try {
    while (await stream.read());
  } catch {
    // A broken connection has ended, too.
  }
  leaving.abort();
}

const headLimit = 64 * 1024;

/** The request; undefined if the client disconnects without sending one. */
async function readRequest(
  reader: ByteReader,
  signal: AbortSignal,
): Promise<KubeletRequest | "malformed" | undefined> {
  const first = await reader.line(headLimit);
  if (first === undefined) return undefined;
  const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return "malformed";
  const [path = "", ...query] = target.split("?");
  try {
    return {
      method,
      path: decodeURIComponent(path),
      query: new URLSearchParams(query.join("?")),
      headers: joinedValues(await readHeaders(reader, headLimit - first.length)),
      signal,
    };
  } catch (error) {
    if (error instanceof MalformedHeaderError || error instanceof URIError) return "malformed";
    throw error;
  }
}

/** Headers by lower-case name; the values of a repeated header are joined. */
function joinedValues(lines: HeaderLines): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [given, value] of lines) {
    const name = given.toLowerCase();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

async function writeResponse(
  stream: ByteStream,
  response: KubeletResponse,
  method: string,
): Promise<void> {
  const { body } = response;
  await stream.write(responseHead(response, true));
  if (body === undefined || method === "HEAD") return;
  if (isFixed(body)) await stream.write(bytesOf(body));
  else await writeChunks(stream, body);
}

function responseHead({ status, headers, body }: KubeletResponse, isLast: boolean): Uint8Array {
  const length =
    body === undefined || isFixed(body)
      ? { "content-length": String(bytesOf(body ?? "").length) }
      : { "transfer-encoding": "chunked" };
  const all = isLast ? { ...headers, ...length, connection: "close" } : headers;
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return encodeHead([`HTTP/1.1 ${status} ${words[status] ?? ""}`, ...lines]);
}

const isFixed = (body: NonNullable<KubeletResponse["body"]>): body is string | Uint8Array =>
  typeof body === "string" || body instanceof Uint8Array;

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;

const words: Readonly<Record<number, string>> = {
  101: "Switching Protocols",
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  422: "Unprocessable Entity",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
