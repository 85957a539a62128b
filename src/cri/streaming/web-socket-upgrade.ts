import { encodeBase64 } from "../../base/base64.ts";
import { sha1 } from "../../base/cryptography/sha1.ts";
import type { ByteStream } from "../../base/network.ts";
import type { StreamingRequest, StreamingResponse } from "./streaming-request.ts";

/** A protocol of messages on a WebSocket. */
export interface MessageProtocol {
  readonly name: string;
  /** Serves the client; resolves when the connection is done. */
  readonly serve: (stream: ByteStream) => Promise<void>;
}

/**
 * Upgrades a request to a WebSocket with the first protocol that the client names and that is found. A client
 * that names none wants the one without a name.
 */
export function webSocketUpgrade(
  { method, headers }: StreamingRequest,
  find: (protocol: string) => MessageProtocol["serve"] | undefined,
): StreamingResponse {
  if (method !== "GET") return { status: 405, headers: {}, body: "bad method" };
  const key = headers["sec-websocket-key"] ?? "";
  if (key === "") return { status: 400, headers: {}, body: "mismatch challenge/response" };
  if (headers["sec-websocket-version"] !== "13")
    return {
      status: 400,
      headers: { "sec-websocket-version": "13" },
      body: "missing or bad WebSocket Version",
    };
  const names = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  for (const name of names) {
    const serve = find(name);
    if (serve)
      return {
        status: 101,
        headers: {
          upgrade: "websocket",
          connection: "Upgrade",
          "sec-websocket-accept": acceptKey(key),
          ...(name !== "" && { "sec-websocket-protocol": name }),
        },
        takeOver: serve,
      };
  }
  return { status: 403, headers: {}, body: "" };
}

/** The server's proof that it understood the handshake (RFC 6455). */
const acceptKey = (key: string): string =>
  encodeBase64(sha1(new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)));
