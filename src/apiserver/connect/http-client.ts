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

/** Sends one HTTP/1.1 request through a connection that is used for nothing else. */
export async function sendRequest(stream: ByteStream, request: HttpRequest): Promise<HttpResponse> {
  try {
    await stream.write(encodeRequestHead(request));
    const sending = sendBody(stream, request);
    // A server may answer before it has read everything, and then it does not matter what follows.
    sending.catch(() => {});
    const reader = new ByteReader(stream);
    const head = await readHead(reader);
    if (head.status === 101) return { ...head, body: noBody(), upgraded: reader.remaining() };
    if (request.method === "HEAD" || head.status === 204 || head.status === 304) {
      stream.destroy();
      return { ...head, body: noBody() };
    }
    return { ...head, body: owning(stream, bodyOf(reader, head)) };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

type Head = Pick<HttpResponse, "status" | "reason" | "headers">;

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
    const [, status = "", reason = ""] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(line) ?? [];
    if (status === "") throw new Error(`malformed HTTP response ${quote(line.slice(0, 100))}`);
    const headers = await readHeaders(reader, headLimit);
    const code = Number(status);
    // Skip interim responses, such as 100 Continue.
    if (code >= 200 || code === 101) return { status: code, reason, headers };
  }
}

function bodyOf(reader: ByteReader, { headers }: Head): AsyncIterable<Uint8Array> {
  if (/\bchunked\s*$/i.test(headerOf(headers, "transfer-encoding") ?? ""))
    return readChunks(reader, headLimit);
  const length = headerOf(headers, "content-length");
  if (length === undefined) return readUntilEnd(reader);
  if (!/^\d+$/.test(length)) throw new Error(`bad Content-Length ${quote(length)}`);
  return readCounted(reader, Number(length));
}

async function* noBody(): AsyncGenerator<Uint8Array> {}

/** A body whose connection is closed when it has been read, or its reader stops. */
async function* owning(
  stream: ByteStream,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    stream.destroy();
  }
}
