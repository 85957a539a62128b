import type { HeaderLines } from "../../base/http/http1-message.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import { withoutBearer } from "./web-socket-token.ts";

/** Whether a request asks to change the protocol. */
export const isUpgrade = ({ headers }: Pick<ApiRequest, "headers">): boolean =>
  (headers.connection ?? "").toLowerCase().includes("upgrade");

/** The headers of a proxied request: without those that are for this server only. */
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

/** The headers of a target's response, as the client gets them. */
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

/** Forbids caching, whatever the target says. */
export const uncached = ({ "cache-control": sent = [], ...headers }: ApiResponse["headers"]) => ({
  ...headers,
  "cache-control": ["no-cache, private", sent].flat(),
});

/** Drops CORS headers of the target: this server decides which origins are allowed. */
export function withoutCors(headers: Record<string, string | string[]>) {
  const kept = { ...headers };
  for (const what of ["credentials", "headers", "methods", "origin"])
    delete kept[`access-control-allow-${what}`];
  return kept;
}

/** Hop-by-hop headers, and those that the Connection header names. */
const hopByHop = (connection: string): Set<string> =>
  new Set([
    ...["connection", "proxy-connection", "keep-alive", "proxy-authenticate"],
    ...["proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"],
    ...connection.split(",").map((name) => name.trim().toLowerCase()),
  ]);

/** Headers between client and this server only; the size of a buffered body is computed again. */
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

/** An IPv4-mapped IPv6 address is written as IPv4. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, "");
