import type { ByteStream } from "../../base/network.ts";
import { quote } from "../../schema/values/quote.ts";
import { ByteReader } from "./byte-reader.ts";

/** Names and values in the order in which they are sent; each character is a byte. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

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
  /** What the status line says after the number. */
  readonly reason: string;
  readonly headers: HeaderLines;
  /** Whoever stops reading gives up the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The connection itself, where the other side has changed protocols. */
  readonly upgraded?: ByteStream;
}

/** Sends one HTTP/1.1 request through a connection that is used for nothing else. */
export async function sendRequest(stream: ByteStream, request: HttpRequest): Promise<HttpResponse> {
  try {
    await stream.write(encodeHead(request));
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

/** The first value of a header, by its name in lower case. */
export const headerOf = (headers: HeaderLines, name: string): string | undefined =>
  headers.find(([other]) => other.toLowerCase() === name)?.[1];

type Head = Pick<HttpResponse, "status" | "reason" | "headers">;

function encodeHead({ method, target, headers, body }: HttpRequest): Uint8Array {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (isStream(body) && headerOf(headers, "content-length") === undefined)
    lines.push("Transfer-Encoding: chunked");
  else if (body instanceof Uint8Array) lines.push(`Content-Length: ${body.length}`);
  // No line may begin another: what they hold comes from far.
  const odd = lines.find((line) => /[^\t\x20-\xff]/.test(line));
  if (odd !== undefined) throw new Error(`net/http: invalid header field value ${quote(odd)}`);
  return bytesOf(`${lines.join("\r\n")}\r\n\r\n`);
}

/** Each character is a byte. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const isStream = (body: HttpRequest["body"]): body is AsyncIterable<Uint8Array> =>
  body !== undefined && !(body instanceof Uint8Array);

async function sendBody(stream: ByteStream, { headers, body }: HttpRequest): Promise<void> {
  if (body === undefined) return;
  if (!isStream(body)) return stream.write(body);
  const isChunked = headerOf(headers, "content-length") === undefined;
  try {
    for await (const piece of body) {
      if (piece.length === 0) continue;
      if (isChunked) await stream.write(bytesOf(`${piece.length.toString(16)}\r\n`));
      await stream.write(piece);
      if (isChunked) await stream.write(bytesOf("\r\n"));
    }
    if (isChunked) await stream.write(bytesOf("0\r\n\r\n"));
  } catch (error) {
    // Half a request is none: the other side must not take it for a whole.
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
    const headers = await readHeaders(reader);
    const code = Number(status);
    // What is only on the way, as 100 Continue, is not the answer.
    if (code >= 200 || code === 101) return { status: code, reason, headers };
  }
}

async function readHeaders(reader: ByteReader): Promise<[string, string][]> {
  const headers: [string, string][] = [];
  for (let left = headLimit; ; ) {
    const line = await reader.line(left);
    if (line === undefined) throw new Error("unexpected EOF");
    if (line === "") return headers;
    left -= line.length;
    const last = headers.at(-1);
    const colon = line.indexOf(":");
    if (/^[ \t]/.test(line) && last) last[1] += ` ${line.trim()}`;
    else if (colon <= 0) throw new Error(`malformed MIME header line: ${line.slice(0, 100)}`);
    else headers.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
  }
}

function bodyOf(reader: ByteReader, { headers }: Head): AsyncIterable<Uint8Array> {
  if (/\bchunked\s*$/i.test(headerOf(headers, "transfer-encoding") ?? "")) return chunks(reader);
  const length = headerOf(headers, "content-length");
  if (length === undefined) return untilEnd(reader);
  if (!/^\d+$/.test(length)) throw new Error(`bad Content-Length ${quote(length)}`);
  return counted(reader, Number(length));
}

async function* noBody(): AsyncGenerator<Uint8Array> {}

async function* untilEnd(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = await reader.some(Number.POSITIVE_INFINITY);
    if (!bytes) return;
    yield bytes;
  }
}

async function* counted(reader: ByteReader, length: number): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    const bytes = await reader.some(left);
    if (!bytes) throw new Error("unexpected EOF");
    left -= bytes.length;
    yield bytes;
  }
}

async function* chunks(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const line = await reader.line(4096);
    const [, digits] = /^([0-9a-f]{1,13})\s*(?:;.*)?$/i.exec(line ?? "") ?? [];
    if (digits === undefined)
      throw new Error(line === undefined ? "unexpected EOF" : "malformed chunked encoding");
    const size = Number.parseInt(digits, 16);
    if (size === 0) break;
    yield* counted(reader, size);
    if ((await reader.line(2)) !== "") throw new Error("malformed chunked encoding");
  }
  await readHeaders(reader);
}

/** A body whose connection goes when it has been read, or nobody wants the rest. */
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
