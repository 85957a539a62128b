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
import type { DialStreams } from "../../base/stream-connection.ts";
import { byteStream } from "../byte-stream.ts";
import { dialSocket } from "../dial-socket.ts";
import { SpdyConnection } from "./spdy-connection.ts";

/**
 * Opens the client's side of SPDY/3.1 at an address.
 * Unused so far: the adapter of containerd is to run commands with it.
 */
export const dialSpdy: DialStreams = async (address, { protocols, signal }) => {
  const { protocol, hostname, port, host, pathname, search } = new URL(address);
  const isSecure = protocol === "https:";
  const target = {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || (isSecure ? 443 : 80)),
    ...(isSecure && { tls: {} }),
  };
  const stream = byteStream(await dialSocket(target, { signal, allowHalfOpen: true }));
  const unfollow = onAbort(signal, () => stream.destroy());
  try {
    await stream.write(
      encodeHead([
        `POST ${pathname}${search} HTTP/1.1`,
        `Host: ${host}`,
        "Content-Length: 0",
        "Connection: Upgrade",
        "Upgrade: SPDY/3.1",
        ...protocols.map((name) => `X-Stream-Protocol-Version: ${name}`),
      ]),
    );
    const { headers, rest } = await upgraded(stream);
    return {
      connection: new SpdyConnection(rest, { role: "client" }),
      protocol: headerOf(headers, "x-stream-protocol-version") ?? "",
    };
  } catch (error) {
    stream.destroy();
    signal.throwIfAborted();
    throw error;
  } finally {
    unfollow();
  }
};

async function upgraded(
  stream: ByteStream,
): Promise<{ readonly headers: HeaderLines; readonly rest: ByteStream }> {
  const reader = new ByteReader(stream);
  const first = await reader.line(headLimit);
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(first ?? "") ?? [];
  if (status === undefined) throw new Error("unable to upgrade connection: no HTTP response");
  const headers = await readHeaders(reader, headLimit);
  const isSpdy = headerOf(headers, "upgrade")?.toLowerCase() === "spdy/3.1";
  if (status === "101" && isSpdy) return { headers, rest: reader.remaining() };
  const pieces: Uint8Array[] = [];
  let size = 0;
  const most = Number(headerOf(headers, "content-length") ?? bodyLimit);
  for await (const piece of readUntilEnd(reader)) {
    pieces.push(piece);
    size += piece.length;
    if (size >= Math.min(most, bodyLimit)) break;
  }
  const text = Buffer.concat(pieces).toString().trim();
  throw new Error(`unable to upgrade connection: ${text || "empty server response"}`);
}

const headLimit = 64 * 1024;
const bodyLimit = 64 * 1024;
