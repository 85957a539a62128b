import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { posix } from "node:path";
import type { Transport } from "../../../../client/transport.ts";
import type { ApiStreams } from "../../../../kubeconfig/dial-api-streams.ts";
import { passOn, passOnUpgrade } from "./pass-on.ts";
import type { RequestFilter } from "./request-filter.ts";
import { plain, serveFile } from "./serve-files.ts";

export interface ProxyOptions {
  readonly transport: Transport;
  readonly streams: Pick<ApiStreams, "upgrade">;
  /** Ends in a slash, as the other prefix does. */
  readonly apiPrefix: string;
  readonly staticPrefix: string;
  /** A folder with files to serve, too. */
  readonly staticFolder: string | undefined;
  /** Undefined if all requests are passed on. */
  readonly filter: RequestFilter | undefined;
  readonly keepAliveMs: number;
  /** Reports an error of a request. */
  onError(error: Error): void;
}

/** A server that passes requests on to the API server, with the user's credentials. */
export function proxyServer(options: ProxyOptions): Server {
  const server = createServer((request, response) => {
    handle(options, request, response).catch((error: Error) => {
      if (response.destroyed) return;
      options.onError(error);
      if (response.headersSent) response.destroy();
      else plain(response, 500, error.message);
    });
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Uint8Array) => {
    socket.on("error", () => {});
    if (options.keepAliveMs > 0) socket.setKeepAlive(true, options.keepAliveMs);
    upgrade(options, request, { socket, head }).catch((error: Error) => {
      options.onError(error);
      socket.destroy();
    });
  });
  return server;
}

type Route =
  | { readonly to: "files" | "api"; readonly path: string; readonly query: string }
  | { readonly to: "nowhere" | "forbidden" }
  | { readonly to: "redirect"; readonly location: string };

async function handle(
  options: ProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const route = routeOf(options, request);
  switch (route.to) {
    case "nowhere":
      return plain(response, 404, "404 page not found");
    case "forbidden":
      return plain(response, 403, "Forbidden");
    case "redirect":
      response.writeHead(301, { Location: route.location }).end();
      return undefined;
    case "files":
      return serveFile(options.staticFolder ?? "", decoded(route.path), { request, response });
    case "api":
      return passOn(options.transport, { request, ...route }, response);
  }
}

async function upgrade(
  options: ProxyOptions,
  request: IncomingMessage,
  connection: { readonly socket: Socket; readonly head: Uint8Array },
): Promise<void> {
  const route = routeOf(options, request);
  if (route.to === "api") return passOnUpgrade(options.streams, { request, ...route }, connection);
  const [status, text] =
    route.to === "forbidden"
      ? ["403 Forbidden", "Forbidden"]
      : ["404 Not Found", "404 page not found"];
  connection.socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length + 1}\r\nConnection: close\r\n\r\n${text}\n`,
  );
}

/** Where a request goes, by the longer of the prefixes that its path has. */
function routeOf(
  { apiPrefix, staticPrefix, staticFolder, filter }: ProxyOptions,
  { url = "/", method = "GET", headers }: IncomingMessage,
): Route {
  const mark = url.indexOf("?");
  const [path, query] = mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
  const clean = cleanPath(path);
  const prefixes = staticFolder === undefined ? [apiPrefix] : [apiPrefix, staticPrefix];
  const moved = prefixes.includes(`${clean}/`) ? `${clean}/` : clean;
  if (moved !== path)
    return { to: "redirect", location: query === "" ? moved : `${moved}?${query}` };
  const [prefix] = prefixes
    .filter((one) => path.startsWith(one))
    .sort((a, b) => b.length - a.length);
  if (prefix === undefined) return { to: "nowhere" };
  if (prefix !== apiPrefix) return { to: "files", path: path.slice(prefix.length), query };
  const own = apiPrefix.startsWith("/api") ? path : `/${path.slice(prefix.length)}`;
  const asked = { method, path: decoded(own), host: headers.host ?? "" };
  if (filter && !filter(asked)) return { to: "forbidden" };
  return { to: "api", path: own, query };
}

/** A path without empty and relative parts; a slash at its end stays. */
function cleanPath(path: string): string {
  const clean = posix.normalize(path.startsWith("/") ? path : `/${path}`);
  return clean === "//" ? "/" : clean;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
