import { type HeaderLines, headerOf } from "../../base/http/http1-message.ts";
import type { DialProtocols, DialStreams } from "../../base/stream-connection.ts";
import { dialUpgrade, type UpgradedConnection, type UpgradeRequest } from "./dial-upgrade.ts";
import { SpdyConnection, type SpdyConnectionOptions } from "./spdy-connection.ts";

/** Opens the client's side of SPDY/3.1 at an address. */
export const dialSpdy: DialStreams = async (address, how) =>
  spdyOf(await dialUpgrade(address, spdyRequest(how)));

/** The request that upgrades a connection to SPDY/3.1. */
export const spdyRequest = (
  { protocols, signal }: DialProtocols,
  headers: HeaderLines = [],
): UpgradeRequest => ({
  ...{ method: "POST", upgrade: "SPDY/3.1", signal },
  headers: [...headers, ...protocols.map((name) => ["X-Stream-Protocol-Version", name] as const)],
});

/** The client's side of a connection that was upgraded so. */
export const spdyOf = (
  { headers, stream }: UpgradedConnection,
  { pingMs }: Pick<SpdyConnectionOptions, "pingMs"> = {},
): Awaited<ReturnType<DialStreams>> => ({
  connection: new SpdyConnection(stream, { role: "client", pingMs }),
  protocol: headerOf(headers, "x-stream-protocol-version") ?? "",
});
