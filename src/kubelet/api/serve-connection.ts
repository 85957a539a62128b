import type { ByteStream } from "../../base/network.ts";
import type { KubeletHandler, KubeletRequest, KubeletResponse } from "./kubelet-request.ts";
import { textResponse } from "./kubelet-request.ts";

/** Answers the one request that comes through a connection, in HTTP/1.1, and ends it. */
export async function serveConnection(stream: ByteStream, handle: KubeletHandler): Promise<void> {
  const leaving = new AbortController();
  try {
    const read = await readHead(stream);
    if (!read) return;
    const { head, rest } = read;
    const request = requestOf(head, leaving.signal);
    if (!request) {
      await writeResponse(stream, textResponse(400, "400 Bad Request"), "GET");
      return;
    }
    const response = await handle(request);
    if (response.takeOver) {
      await stream.write(encodeHead(response, false));
      await response.takeOver(startingWith(rest, stream));
      return;
    }
    // Nobody sends more than a request: the end of it means that they have gone.
    void watchEnd(stream, leaving);
    await writeResponse(stream, response, request.method);
  } catch {
    // Who went away is no fault of anybody here.
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
    // Broken is gone, too.
  }
  leaving.abort();
}

const headLimit = 64 * 1024;

async function readHead(
  stream: ByteStream,
): Promise<{ readonly head: string; readonly rest: Uint8Array } | undefined> {
  let bytes = new Uint8Array(0);
  for (;;) {
    const more = await stream.read();
    if (!more) return undefined;
    const joined = new Uint8Array(bytes.length + more.length);
    joined.set(bytes);
    joined.set(more, bytes.length);
    bytes = joined;
    const end = endOfHead(bytes);
    if (end >= 0) return { head: latin1(bytes.subarray(0, end)), rest: bytes.subarray(end + 4) };
    if (bytes.length > headLimit) throw new Error("the head of a request is too long");
  }
}

function endOfHead(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1))
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  return -1;
}

function requestOf(head: string, signal: AbortSignal): KubeletRequest | undefined {
  const [first = "", ...lines] = head.split("\r\n");
  const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) return undefined;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const [path = "", ...query] = target.split("?");
  try {
    return {
      method,
      path: decodeURIComponent(path),
      query: new URLSearchParams(query.join("?")),
      headers,
      signal,
    };
  } catch {
    return undefined;
  }
}

async function writeResponse(
  stream: ByteStream,
  response: KubeletResponse,
  method: string,
): Promise<void> {
  const { body } = response;
  await stream.write(encodeHead(response, true));
  if (body === undefined || method === "HEAD") return;
  if (typeof body === "string") {
    await stream.write(new TextEncoder().encode(body));
    return;
  }
  for await (const piece of body) {
    if (piece.length === 0) continue;
    await stream.write(latin1Bytes(`${piece.length.toString(16)}\r\n`));
    await stream.write(piece);
    await stream.write(latin1Bytes("\r\n"));
  }
  await stream.write(latin1Bytes("0\r\n\r\n"));
}

function encodeHead({ status, headers, body }: KubeletResponse, isLast: boolean): Uint8Array {
  const length =
    typeof body === "string" || body === undefined
      ? { "content-length": String(new TextEncoder().encode(body ?? "").length) }
      : { "transfer-encoding": "chunked" };
  const all = isLast ? { ...headers, ...length, connection: "close" } : headers;
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return latin1Bytes([`HTTP/1.1 ${status} ${words[status] ?? ""}`, ...lines, "", ""].join("\r\n"));
}

const words: Readonly<Record<number, string>> = {
  101: "Switching Protocols",
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** A stream before which something was read already. */
function startingWith(first: Uint8Array, stream: ByteStream): ByteStream {
  let rest: Uint8Array | undefined = first.length > 0 ? first : undefined;
  return {
    async read() {
      const bytes = rest;
      rest = undefined;
      return bytes ?? stream.read();
    },
    write: (bytes) => stream.write(bytes),
    end: () => stream.end(),
    destroy: () => stream.destroy(),
  };
}

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

const latin1Bytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
