import { ByteReader } from "../../base/http/byte-reader.ts";
import {
  encodeHead,
  type HeaderLines,
  headerOf,
  readHeaders,
  readUntilEnd,
} from "../../base/http/http1-message.ts";
import type { ByteStream } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import { byteStream } from "../byte-stream.ts";
import { dialSocket } from "../dial-socket.ts";

export interface UpgradeRequest {
  readonly method: string;
  /** The value of the header Upgrade. */
  readonly upgrade: string;
  readonly headers: HeaderLines;
  readonly signal: AbortSignal;
}

/** A connection that has changed its protocol, and the headers of the response that says so. */
export interface UpgradedConnection {
  readonly headers: HeaderLines;
  readonly stream: ByteStream;
}

/** The server has refused to change the protocol of a connection. */
export class UpgradeError extends Error {
  override readonly name = "UpgradeError";
  /** What the server has sent instead, or what is wrong with it. */
  readonly body: string;
  /** The response; absent if it did agree, but in a wrong way. */
  readonly response: RefusingResponse | undefined;

  constructor(body: string, response?: RefusingResponse) {
    super(`unable to upgrade connection: ${body || "empty server response"}`);
    this.body = body;
    this.response = response;
  }
}

interface RefusingResponse {
  readonly status: number;
  readonly headers: HeaderLines;
}

/** Opens a connection to an address, and upgrades it; a refusal is thrown with the server's text. */
export async function dialUpgrade(
  address: string,
  request: UpgradeRequest,
): Promise<UpgradedConnection> {
  const { protocol, hostname, port, host, pathname, search } = new URL(address);
  const isSecure = protocol === "https:" || protocol === "wss:";
  const target = {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || (isSecure ? 443 : 80)),
    ...(isSecure && { tls: {} }),
  };
  const { signal } = request;
  const stream = byteStream(await dialSocket(target, { signal, allowHalfOpen: true }));
  return upgradeStream(stream, { ...request, host, path: `${pathname}${search}` });
}

/** Upgrades a connection that is open, and closes it if the server refuses. */
export async function upgradeStream(
  stream: ByteStream,
  request: UpgradeRequest & { readonly host: string; readonly path: string },
): Promise<UpgradedConnection> {
  const { method, path, host, upgrade, headers, signal } = request;
  const unfollow = onAbort(signal, () => stream.destroy());
  try {
    await stream.write(
      encodeHead([
        `${method} ${path} HTTP/1.1`,
        `Host: ${host}`,
        ...(method === "GET" ? [] : ["Content-Length: 0"]),
        "Connection: Upgrade",
        `Upgrade: ${upgrade}`,
        ...headers.map(([name, value]) => `${name}: ${value}`),
      ]),
    );
    return await readResponse(stream, upgrade);
  } catch (error) {
    stream.destroy();
    signal.throwIfAborted();
    throw error;
  } finally {
    unfollow();
  }
}

async function readResponse(stream: ByteStream, upgrade: string): Promise<UpgradedConnection> {
  const reader = new ByteReader(stream);
  const first = await reader.line(headLimit);
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(first ?? "") ?? [];
  if (status === undefined) throw new Error("unable to upgrade connection: no HTTP response");
  const headers = await readHeaders(reader, headLimit);
  const isUpgraded = headerOf(headers, "upgrade")?.toLowerCase() === upgrade.toLowerCase();
  if (status === "101" && isUpgraded) return { headers, stream: reader.remaining() };
  const most = Math.min(Number(headerOf(headers, "content-length") ?? bodyLimit), bodyLimit);
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (most > 0)
    for await (const piece of readUntilEnd(reader)) {
      pieces.push(piece);
      size += piece.length;
      if (size >= most) break;
    }
  const body = Buffer.concat(pieces).toString().trim();
  throw new UpgradeError(body, { status: Number(status), headers });
}

const headLimit = 64 * 1024;
const bodyLimit = 64 * 1024;
