import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { ByteStream } from "../../../../base/network.ts";
import type { Transport, TransportRequest } from "../../../../client/transport.ts";
import type { ApiStreams } from "../../../../kubeconfig/dial-api-streams.ts";
import { byteStream } from "../../../../platform/byte-stream.ts";
import { UpgradeError } from "../../../../platform/spdy/dial-upgrade.ts";
import { readAll } from "../../../program/io.ts";

/** Headers that belong to a connection, not to what is sent through it. */
const ofConnection: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

interface PassedRequest {
  readonly request: IncomingMessage;
  /** The path at the server, without the query. */
  readonly path: string;
  readonly query: string;
}

/** Sends a request to the server, and its response to the client as it arrives. */
export async function passOn(
  transport: Transport,
  { request, path, query }: PassedRequest,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const body = await readAll(request);
  const received = await transport({
    method: (request.method ?? "GET") as TransportRequest["method"],
    path,
    query,
    headers: forwardedHeaders(request),
    ...(body.length > 0 && { body }),
    signal: gone.signal,
  });
  // The transport has decompressed the body.
  const isZipped = received.headers["content-encoding"] === "gzip";
  for (const [name, value] of Object.entries(received.headers)) {
    if (value === undefined || ofConnection.has(name)) continue;
    if (isZipped && (name === "content-encoding" || name === "content-length")) continue;
    response.setHeader(name, value as string | string[]);
  }
  response.writeHead(received.status);
  response.flushHeaders();
  await pipeline(received.bytes(), response);
}

function forwardedHeaders({ headers, socket }: IncomingMessage): TransportRequest["headers"] {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || ofConnection.has(name) || name === "host" || name === "content-length"
      ? []
      : [[name, value] as const],
  );
  const before = headers["x-forwarded-for"];
  const own = socket.remoteAddress;
  const forwarded = [before, own].flat().filter((one) => one !== undefined);
  return {
    ...Object.fromEntries(kept),
    ...(forwarded.length > 0 && { "x-forwarded-for": forwarded.join(", ") }),
  };
}

/** Upgrades a connection to the server as a client asks, and copies between both. */
export async function passOnUpgrade(
  streams: Pick<ApiStreams, "upgrade">,
  { request, path, query }: PassedRequest,
  { socket, head }: { readonly socket: Socket; readonly head: Uint8Array },
): Promise<void> {
  const gone = new AbortController();
  socket.on("close", () => gone.abort());
  const { method = "GET", headers, rawHeaders } = request;
  const lines = rawHeaders.flatMap((name, at) =>
    at % 2 === 1 || skipped.has(name.toLowerCase())
      ? []
      : [[name, rawHeaders[at + 1] ?? ""] as const],
  );
  try {
    const upgraded = await streams.upgrade(query === "" ? path : `${path}?${query}`, {
      ...{ method, upgrade: headers.upgrade ?? "", headers: lines },
      signal: gone.signal,
    });
    const answer = upgraded.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${answer}\r\n`);
    if (head.length > 0) await upgraded.stream.write(head);
    const client = byteStream(socket);
    await Promise.race([copy(client, upgraded.stream), copy(upgraded.stream, client)]);
    upgraded.stream.destroy();
  } catch (error) {
    if (!(error instanceof UpgradeError) || !error.response) throw error;
    const { status, headers } = error.response;
    const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
    socket.end(refusal(status, type ?? "text/plain", error.body));
  } finally {
    socket.destroySoon();
  }
}

const skipped: ReadonlySet<string> = new Set(["connection", "upgrade", "host", "content-length"]);

function refusal(status: number, type: string, body: string): string {
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 ${status} \r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;
}

async function copy(from: ByteStream, to: ByteStream): Promise<void> {
  for (let bytes = await from.read(); bytes; bytes = await from.read()) await to.write(bytes);
  await to.end();
}
