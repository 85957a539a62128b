import type { HeaderLines } from "../../base/http/http1-message.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import { withoutBearer } from "./web-socket-token.ts";

/** Whether a client wants to go on in another protocol. */
export const isUpgrade = ({ headers }: Pick<ApiRequest, "headers">): boolean =>
  (headers.connection ?? "").toLowerCase().includes("upgrade");

/** The headers of a request as they are passed on to a host: without what was meant for us alone. */
export function passedOn(request: ApiRequest, host: string, extra: HeaderLines = []): HeaderLines {
  const isUpgraded = isUpgrade(request);
  const dropped = isUpgraded ? new Set<string>() : hopByHop(request.headers.connection ?? "");
  const lines: [string, string][] = [["Host", request.headers.host ?? host]];
  const forwarded: string[] = [];
  for (const [name, value] of linesOf(request)) {
    const lower = name.toLowerCase();
    if (lower === "x-forwarded-for") forwarded.push(value);
    else if (lower === "sec-websocket-protocol") lines.push([name, withoutBearer(value)]);
    else if (!isOurs(lower) && !dropped.has(lower) && !extra.some(([other]) => other === lower))
      lines.push([name, value]);
  }
  if (request.remoteAddress !== "") forwarded.push(plainAddress(request.remoteAddress));
  if (forwarded.length > 0) lines.push(["X-Forwarded-For", forwarded.join(", ")]);
  // Each request has a connection of its own.
  if (!isUpgraded) lines.push(["Connection", "close"]);
  return [...lines.filter(([, value]) => value !== ""), ...extra];
}

/** The headers of another server's answer as they are passed back. */
export function passedBack(headers: HeaderLines): Record<string, string | string[]> {
  const connection = headers.filter(([name]) => name.toLowerCase() === "connection");
  const dropped = hopByHop(connection.map(([, value]) => value).join(","));
  const kept: Record<string, string | string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (dropped.has(lower) || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[^\t\x20-\xff]/.test(value))
      continue;
    const before = kept[lower];
    kept[lower] = before === undefined ? value : [before, value].flat();
  }
  return kept;
}

/** Every answer says that it is not to be kept, whatever the other side says of it. */
export const uncached = ({ "cache-control": said = [], ...headers }: ApiResponse["headers"]) => ({
  ...headers,
  "cache-control": ["no-cache, private", said].flat(),
});

/** Headers about the connection alone, and those that it says are. */
const hopByHop = (connection: string): Set<string> =>
  new Set([
    ...["connection", "proxy-connection", "keep-alive", "proxy-authenticate"],
    ...["proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"],
    ...connection.split(",").map((name) => name.trim().toLowerCase()),
  ]);

/** What is between the client and this server; a body that has come is measured anew. */
const isOurs = (name: string): boolean =>
  name.startsWith(":") ||
  name.startsWith("impersonate-") ||
  ["host", "authorization", "expect"].includes(name);

function linesOf({ headers, rawHeaders, body }: ApiRequest): [string, string][] {
  const lines: [string, string][] = [];
  if (rawHeaders)
    for (let i = 0; i + 1 < rawHeaders.length; i += 2)
      lines.push([rawHeaders[i] ?? "", rawHeaders[i + 1] ?? ""]);
  else for (const [name, value] of Object.entries(headers)) lines.push([name, value ?? ""]);
  return body ? lines.filter(([name]) => name.toLowerCase() !== "content-length") : lines;
}

/** An IPv4 address that came by IPv6 is shown as it is known. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, "");
