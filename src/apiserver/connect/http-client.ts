import { ByteReader } from "../../base/http/byte-reader.ts";
import {
  encodeHead,
  type HeaderLines,
  headerOf,
  readChunks,
  readCounted,
  readHeaders,
  readUntilEnd,
  writeChunks,
} from "../../base/http/http1-message.ts";
import type { ByteStream } from "../../base/network.ts";
import { quote } from "../../schema/values/quote.ts";

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderLines;
  /** All of it at once, or as it comes; what `content-length` does not announce is sent in chunks. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** The reason phrase of the status line. */
  readonly reason: string;
  readonly headers: HeaderLines;
  /** A reader that stops early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The connection itself, where the other side has changed protocols. */
  readonly upgraded?: ByteStream;
}

/**
 * Sends one HTTP/1.1 request through a connection that nothing else uses. The connection is closed after the
 * response, or passed to `keep` if the server takes another request on it.
 */
export async function sendRequest(
  stream: ByteStream,
  request: HttpRequest,
  keep?: (stream: ByteStream, response: Pick<HttpResponse, "headers">) => void,
): Promise<HttpResponse> {
  try {
    await stream.write(encodeRequestHead(request));
    let isSent = false;
    // A server may answer before it has read everything, and then it does not matter what follows.
    sendBody(stream, request).then(
      () => {
        isSent = true;
      },
      () => {},
    );
    const reader = new ByteReader(stream);
    const head = await readHead(reader);
    if (head.status === 101) return { ...head, body: noBody(), upgraded: reader.remaining() };
    const done = (): void => {
      if (keep && isSent && head.isPersistent && reader.isEmpty) keep(stream, head);
      else stream.destroy();
    };
    if (request.method === "HEAD" || head.status === 204 || head.status === 304) {
      done();
      return { ...head, body: noBody() };
    }
    return { ...head, body: owning(stream, bodyOf(reader, head), done) };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

interface Head extends Pick<HttpResponse, "status" | "reason" | "headers"> {
  /** Whether the server keeps the connection open after the response. */
  readonly isPersistent: boolean;
}

function encodeRequestHead({ method, target, headers, body }: HttpRequest): Uint8Array {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (isStream(body) && headerOf(headers, "content-length") === undefined)
    lines.push("Transfer-Encoding: chunked");
  else if (body instanceof Uint8Array) lines.push(`Content-Length: ${body.length}`);
  // Values come from clients: a line break in one must not start another header.
  const invalid = lines.find((line) => /[^\t\x20-\xff]/.test(line));
  if (invalid !== undefined)
    throw new Error(`net/http: invalid header field value ${quote(invalid)}`);
  return encodeHead(lines);
}

const isStream = (body: HttpRequest["body"]): body is AsyncIterable<Uint8Array> =>
  body !== undefined && !(body instanceof Uint8Array);

async function sendBody(stream: ByteStream, { headers, body }: HttpRequest): Promise<void> {
  if (body === undefined) return;
  if (!isStream(body)) return stream.write(body);
  const isCounted = headerOf(headers, "content-length") !== undefined;
  try {
    if (!isCounted) return await writeChunks(stream, body);
    for await (const piece of body) if (piece.length > 0) await stream.write(piece);
  } catch (error) {
    // Close after an incomplete request, so that the other side does not take it for a complete one.
    stream.destroy();
    throw error;
  }
}

/** Go's limit for the whole head is larger; nobody needs that much. */
const headLimit = 1024 * 1024;

async function readHead(reader: ByteReader): Promise<Head> {
  for (;;) {
    const line = await reader.line(headLimit);
    if (line === undefined) throw new Error("EOF");
    const [, minor, status = "", reason = ""] =
      /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/.exec(line) ?? [];
    if (status === "") throw new Error(`malformed HTTP response ${quote(line.slice(0, 100))}`);
    const headers = await readHeaders(reader, headLimit);
    const code = Number(status);
    // Skip interim responses, such as 100 Continue.
    if (code >= 200 || code === 101)
      return { status: code, reason, headers, isPersistent: minor === "1" && outlasts(headers) };
  }
}

/** Whether a connection is of use after a response: its end is known, and the server does not close it. */
const outlasts = (headers: HeaderLines): boolean =>
  (isChunked(headers) || headerOf(headers, "content-length") !== undefined) &&
  !/(?:^|,)\s*close\s*(?:,|$)/i.test(headerOf(headers, "connection") ?? "");

const isChunked = (headers: HeaderLines): boolean =>
  /\bchunked\s*$/i.test(headerOf(headers, "transfer-encoding") ?? "");

function bodyOf(reader: ByteReader, { headers }: Head): AsyncIterable<Uint8Array> {
  if (isChunked(headers)) return readChunks(reader, headLimit);
  const length = headerOf(headers, "content-length");
  if (length === undefined) return readUntilEnd(reader);
  if (!/^\d+$/.test(length)) throw new Error(`bad Content-Length ${quote(length)}`);
  return readCounted(reader, Number(length));
}

async function* noBody(): AsyncGenerator<Uint8Array> {}

/** A body that says when it has been read. If its reader stops early, the connection is closed. */
async function* owning(
  stream: ByteStream,
  body: AsyncIterable<Uint8Array>,
  done: () => void,
): AsyncGenerator<Uint8Array> {
  let isRead = false;
  try {
    yield* body;
    isRead = true;
  } finally {
    if (isRead) done();
    else stream.destroy();
  }
}
