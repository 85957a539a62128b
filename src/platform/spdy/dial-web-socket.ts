import { createHash, randomBytes } from "node:crypto";
import { headerOf } from "../../base/http/http1-message.ts";
import { type DialMessages, MessageSocket } from "../../base/http/message-socket.ts";
import type { DialStreams } from "../../base/stream-connection.ts";
import { dialUpgrade } from "./dial-upgrade.ts";
import { SpdyConnection } from "./spdy-connection.ts";

/** Opens the client's side of a WebSocket at an address. */
export const dialWebSocket: DialMessages = async (address, { protocols, signal }) => {
  const key = randomBytes(16).toString("base64");
  const { headers, stream } = await dialUpgrade(address, {
    method: "GET",
    upgrade: "websocket",
    headers: [
      ["Sec-WebSocket-Version", "13"],
      ["Sec-WebSocket-Key", key],
      ["Sec-WebSocket-Protocol", protocols.join(", ")],
    ],
    signal,
  });
  const proof = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  if (headerOf(headers, "sec-websocket-accept") !== proof.digest("base64")) {
    stream.destroy();
    throw new Error("unable to upgrade connection: the response is not for this request");
  }
  return {
    socket: new MessageSocket(stream, randomBytes(4)),
    protocol: headerOf(headers, "sec-websocket-protocol") ?? "",
  };
};

/**
 * Opens the client's side of SPDY/3.1 through a WebSocket, as kubectl forwards ports.
 * Unused so far: kubectl is to forward ports with it.
 */
export const dialSpdyTunnel: DialStreams = async (address, { protocols, signal }) => {
  const { socket, protocol } = await dialWebSocket(address, {
    protocols: protocols.map((name) => `${prefix}${name}`),
    signal,
  });
  return {
    connection: new SpdyConnection(socket.asStream(), { role: "client" }),
    protocol: protocol.slice(prefix.length),
  };
};

const prefix = "SPDY/3.1+";
