import { headerOf } from "../../base/http/http1-message.ts";
import type { DialStreams } from "../../base/stream-connection.ts";
import { dialUpgrade } from "./dial-upgrade.ts";
import { SpdyConnection } from "./spdy-connection.ts";

/** Opens the client's side of SPDY/3.1 at an address. */
export const dialSpdy: DialStreams = async (address, { protocols, signal }) => {
  const { headers, stream } = await dialUpgrade(address, {
    method: "POST",
    upgrade: "SPDY/3.1",
    headers: protocols.map((name) => ["X-Stream-Protocol-Version", name]),
    signal,
  });
  return {
    connection: new SpdyConnection(stream, { role: "client" }),
    protocol: headerOf(headers, "x-stream-protocol-version") ?? "",
  };
};
