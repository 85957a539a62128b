import type {
  ApiBody,
  ApiRequest,
  ApiResponse,
  Handler,
  Peer,
  StreamBody,
} from "../../apiserver/request/request.ts";
import { ByteReader } from "../../base/http/byte-reader.ts";
import {
  encodeHead,
  type HeaderLines,
  headerOf,
  readChunks,
  readCounted,
  readHeaders,
  writeChunks,
} from "../../base/http/http1-message.ts";
import type { ByteStream } from "../../base/network.ts";
import { InProcessCall } from "./in-process-call.ts";
import { liveStream } from "./live-stream.ts";

export interface ServedStream {
  readonly handler: Handler;
  /** The caller, as its certificate would say it. */
  readonly peer: Peer | undefined;
}

/** Serves the one HTTP/1.1 request that comes through a stream within the process, and closes the stream. */
export async function serveStream(
  stream: ByteStream,
  { handler, peer }: ServedStream,
): Promise<void> {
  const leaving = new AbortController();
  try {
    const reader = new ByteReader(stream);
    const request = await readRequest(reader, { peer, leaving });
    if (!request) return;
    const response = await handler(request);
    if (response.takeOver) {
      await stream.write(headOf(response, {}));
      await response.takeOver(reader.remaining());
      return;
    }
    // The client sends nothing after its request: the end of the stream means that it has left.
    void whenLeft(reader.remaining()).then(() => leaving.abort());
    await writeResponse(stream, response, request);
  } catch {
    // A client that leaves early is no error, and nothing else can go wrong between the two of them.
  } finally {
    leaving.abort();
    await stream.end().catch(() => {});
    stream.destroy();
  }
}

/** As long as the heads that an API server takes. */
const headLimit = 1024 * 1024;

async function readRequest(
  reader: ByteReader,
  { peer, leaving }: { readonly peer: Peer | undefined; readonly leaving: AbortController },
): Promise<ApiRequest | undefined> {
  const [method, target] = ((await reader.line(headLimit)) ?? "").split(" ");
  if (method === undefined || target === undefined) return undefined;
  const lines = await readHeaders(reader, headLimit);
  const [path = "", ...query] = target.split("?");
  return {
    method,
    path,
    query: query.join("?"),
    headers: joinedValues(lines),
    rawHeaders: lines.flat(),
    body: await bodyOf(reader, lines),
    peer,
    remoteAddress: "127.0.0.1",
    signal: leaving.signal,
    abort: () => leaving.abort(),
  };
}

async function bodyOf(reader: ByteReader, lines: HeaderLines): Promise<Uint8Array | undefined> {
  const length = headerOf(lines, "content-length");
  const isChunked = headerOf(lines, "transfer-encoding") !== undefined;
  if (length === undefined && !isChunked) return undefined;
  const pieces: Uint8Array[] = [];
  const source = isChunked ? readChunks(reader, headLimit) : readCounted(reader, Number(length));
  for await (const piece of source) pieces.push(piece);
  return joined(pieces);
}

function joinedValues(lines: HeaderLines): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [given, value] of lines) {
    const name = given.toLowerCase();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

async function whenLeft(stream: ByteStream): Promise<void> {
  try {
    while (await stream.read());
  } catch {
    // A broken stream has ended, too.
  }
}

async function writeResponse(
  stream: ByteStream,
  response: ApiResponse,
  request: ApiRequest,
): Promise<void> {
  const { body } = response;
  const live = liveBody(body, request.signal);
  if (live) {
    await stream.write(headOf(response, { "transfer-encoding": "chunked", connection: "close" }));
    await writeChunks(stream, live);
    return;
  }
  const bytes = joined(piecesOf(body));
  const length = { "content-length": String(bytes.length), connection: "close" };
  await stream.write(headOf(response, length));
  if (request.method !== "HEAD") await stream.write(bytes);
}

function headOf({ status, headers }: ApiResponse, more: Readonly<Record<string, string>>) {
  const lines = Object.entries({ ...headers, ...more }).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((one) => `${name}: ${one}`),
  );
  return encodeHead([`HTTP/1.1 ${status} `, ...lines]);
}

type Piece = Uint8Array | string;

function piecesOf(body: ApiBody): readonly Uint8Array[] {
  if (body === undefined) return [];
  if (typeof body === "string" || body instanceof Uint8Array) return [bytesOf(body)];
  return (body as readonly Piece[]).map(bytesOf);
}

/** A body that is produced while it is sent; undefined if it is there already. */
function liveBody(body: ApiBody, signal: AbortSignal): AsyncIterable<Uint8Array> | undefined {
  if (typeof body !== "object" || body instanceof Uint8Array || Array.isArray(body))
    return undefined;
  return "start" in body ? piecesFrom(body, signal) : encoded(body as AsyncIterable<Piece>);
}

async function* encoded(pieces: AsyncIterable<Piece>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield bytesOf(piece);
}

/** The pieces that a stream writes; it waits while they are not read. */
async function* piecesFrom(body: StreamBody, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const pieces of liveStream(body, new InProcessCall(signal)))
    for (const piece of pieces) yield bytesOf(piece);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const bytesOf = (piece: Piece): Uint8Array =>
  typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
