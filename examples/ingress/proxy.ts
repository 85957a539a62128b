import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import type { SecureContext } from "node:tls";
import { type Backend, findRoute, type Route } from "./routes.ts";

/** What the proxy reads with each request and each handshake. */
export interface ProxyTable {
  routes(): readonly Route[];
  /** The certificate of a host. */
  secureContext(host: string): SecureContext | undefined;
}

export interface ProxyOptions {
  readonly table: ProxyTable;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly address?: string | undefined;
}

export interface RunningProxy {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Ends when the requests that are under way have ended. */
  close(): Promise<void>;
}

/** Serves the table's hosts over HTTP/1.1, with and without TLS, WebSocket included. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { table, httpPort, httpsPort, address } = options;
  const upgraded = new Set<Duplex>();
  const onRequest = (incoming: IncomingMessage, response: ServerResponse): void =>
    void forward(table, incoming, response).catch(() => response.destroy());
  const onUpgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    upgraded.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => upgraded.delete(socket));
    forwardUpgrade(table, incoming, socket, head).catch(() => socket.destroy());
  };
  const http = createServer(onRequest).on("upgrade", onUpgrade);
  const https = createTlsServer(
    {
      SNICallback: (host, callback) => {
        const context = table.secureContext(host.toLowerCase());
        callback(context ? null : new Error(`no certificate for ${host}`), context);
      },
    },
    onRequest,
  ).on("upgrade", onUpgrade);
  const listen = (server: typeof http | typeof https, port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once("error", reject).listen(port, address, () => {
        resolve((server.address() as AddressInfo).port);
      });
    });
  return {
    httpPort: await listen(http, httpPort),
    httpsPort: await listen(https, httpsPort),
    async close() {
      const closed = [http, https].map((server) => new Promise((done) => server.close(done)));
      for (const server of [http, https]) server.closeIdleConnections();
      for (const socket of upgraded) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** Where a request goes, or the status code with which it is rejected. */
function routeOf(table: ProxyTable, { url = "/", headers }: IncomingMessage): Backend | number {
  const [path = "/"] = url.split(/[?#]/, 1);
  // A backend would take such a path for another one than the one that was compared.
  if (!path.startsWith("/") || /\/(\.|%2e){1,2}(\/|$)/i.test(path)) return 400;
  const host = (headers.host ?? "").toLowerCase().replace(/:\d+$/, "");
  const backend = findRoute(table.routes(), { host, path })?.backend;
  if (!backend) return 404;
  return backend.endpoints.length === 0 ? 503 : backend;
}

async function forward(
  table: ProxyTable,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reject = (status: number): void => {
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { connection: "close" }).end(`${status}\n`);
  };
  const backend = routeOf(table, incoming);
  if (typeof backend === "number") return reject(backend);
  const socket = await connectToAny(backend);
  if (!socket) return reject(502);
  const { method, url, headers } = incoming;
  const upstream = request({
    createConnection: () => socket,
    ...{ method, path: url, headers: { ...forwardedHeaders(incoming), connection: "close" } },
  });
  // It ends by itself if the request had no body that Node would read.
  response.once("close", () => upstream.destroy());
  upstream.on("error", () => reject(502));
  upstream.on("response", (answer) => {
    const { statusCode = 502, statusMessage } = answer;
    response.writeHead(statusCode, statusMessage, withoutHops(answer.headers));
    pipeline(answer, response, () => {});
  });
  if (hasBody(headers)) pipeline(incoming, upstream, () => {});
  else upstream.end();
}

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

async function forwardUpgrade(
  table: ProxyTable,
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const reject = (status: number): void =>
    void client.end(`HTTP/1.1 ${status} \r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  // Node does not read the body of such a request.
  if (hasBody(incoming.headers)) return reject(400);
  const backend = routeOf(table, incoming);
  if (typeof backend === "number") return reject(backend);
  const socket = await connectToAny(backend);
  if (!socket) return reject(502);
  const { method, url, headers } = incoming;
  // Requests in other protocols, such as h2c, would pass by the routes: they are asked for in HTTP/1.1.
  const isWebSocket = headers.upgrade?.toLowerCase() === "websocket";
  const protocol = isWebSocket
    ? { connection: "upgrade", upgrade: "websocket" }
    : { connection: "close" };
  const upstream = request({
    createConnection: () => socket,
    ...{ method, path: url, headers: { ...forwardedHeaders(incoming), ...protocol } },
  });
  client.once("close", () => upstream.destroy());
  upstream.on("error", () => reject(502));
  upstream.on("response", (answer) => {
    client.write(responseHead(answer, { ...withoutHops(answer.headers), connection: "close" }));
    pipeline(answer, client, () => {});
  });
  upstream.on("upgrade", (answer, server, serverHead) => {
    const { upgrade } = answer.headers;
    const protocol = { connection: "upgrade", upgrade };
    client.write(responseHead(answer, { ...withoutHops(answer.headers), ...protocol }));
    client.write(serverHead);
    server.write(head);
    pipeline(client, server, client, () => {});
  });
  upstream.end();
}

function responseHead(answer: IncomingMessage, headers: IncomingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}\r\n`),
  );
  return `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n${lines.join("")}\r\n`;
}

const connectTimeoutMs = 2000;
const mostEndpoints = 5;

/**
 * Connects to one of the endpoints: the next one is tried if that fails, so that no request is lost to an endpoint that
 * has just gone. Connections are not used again, because one that the backend closes could take a request with it.
 */
async function connectToAny({ endpoints }: Backend): Promise<Socket | undefined> {
  const first = Math.floor(Math.random() * endpoints.length);
  const inTurn = [...endpoints.slice(first), ...endpoints.slice(0, first)];
  for (const { host, port } of inTurn.slice(0, mostEndpoints)) {
    const socket = connect({ host, port, timeout: connectTimeoutMs, noDelay: true });
    const isConnected = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      for (const event of ["error", "timeout"]) socket.once(event, () => resolve(false));
    });
    if (isConnected) return socket.setTimeout(0);
    socket.on("error", () => {}).destroy();
  }
  return undefined;
}

/** The headers for the backend: what a client says about itself is replaced by what is known. */
function forwardedHeaders(incoming: IncomingMessage): IncomingHttpHeaders {
  const { headers, socket } = incoming;
  return {
    ...withoutHops(headers),
    // The length of a body is kept, or its end is marked by chunks as before.
    ...(headers["transfer-encoding"] && { "transfer-encoding": "chunked" }),
    "x-forwarded-for": socket.remoteAddress?.replace(/^::ffff:/, "") ?? "",
    "x-forwarded-host": headers.host ?? "",
    "x-forwarded-proto": "encrypted" in socket ? "https" : "http",
  };
}

const hops = [
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade", "expect", "forwarded"],
];

/** The headers that are not about one connection. */
function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? "").toLowerCase().split(/\s*,\s*/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hops.includes(name) && !named.includes(name)),
  );
}
