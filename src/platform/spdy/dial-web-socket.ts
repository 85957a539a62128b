import { createHash, randomBytes } from "node:crypto";
import { type HeaderLines, headerOf } from "../../base/http/http1-message.ts";
import { type DialMessages, MessageSocket } from "../../base/http/message-socket.ts";
import type { DialProtocols, DialStreams } from "../../base/stream-connection.ts";
import { type UpgradedConnection, UpgradeError, type UpgradeRequest } from "./dial-upgrade.ts";
import { SpdyConnection } from "./spdy-connection.ts";

/** The request that upgrades a connection to a WebSocket. */
export const webSocketRequest = (
  { protocols, signal }: DialProtocols,
  headers: HeaderLines = [],
): UpgradeRequest => ({
  ...{ method: "GET", upgrade: "websocket", signal },
  headers: [
    ...headers,
    ["Sec-WebSocket-Version", "13"],
    [keyHeader, randomBytes(16).toString("base64")],
    ["Sec-WebSocket-Protocol", protocols.join(", ")],
  ],
});

const keyHeader = "Sec-WebSocket-Key";

/** The client's side of a connection that was upgraded so; it must speak one of the protocols. */
export function webSocketOf(
  { headers, stream }: UpgradedConnection,
  request: UpgradeRequest,
  { protocols }: DialProtocols,
): Awaited<ReturnType<DialMessages>> {
  const reject = (why: string): UpgradeError => {
    stream.destroy();
    return new UpgradeError(why);
  };
  const key = headerOf(request.headers, keyHeader.toLowerCase()) ?? "";
  const proof = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  if (headerOf(headers, "sec-websocket-accept") !== proof.digest("base64"))
    throw reject("the response is not for this request");
  const protocol = headerOf(headers, "sec-websocket-protocol") ?? "";
  if (protocols.length > 0 && !protocols.includes(protocol))
    throw reject(`invalid protocol, expected one of ${protocols.join(", ")}, got ${protocol}`);
  return { socket: new MessageSocket(stream, randomBytes(4)), protocol };
}

/** Opens the client's side of SPDY/3.1 through a WebSocket, as kubectl forwards ports. */
export const spdyTunnel =
  (dial: DialMessages): DialStreams =>
  async (address, { protocols, signal }) => {
    const { socket, protocol } = await dial(address, {
      protocols: protocols.map((name) => `${prefix}${name}`),
      signal,
    });
    return {
      connection: new SpdyConnection(socket.asStream(), { role: "client", pingMs: 10_000 }),
      protocol: protocol.slice(prefix.length),
    };
  };

const prefix = "SPDY/3.1+";
