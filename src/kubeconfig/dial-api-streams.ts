import type { Socket } from "node:net";
import { type HeaderLines, headerOf } from "../base/http/http1-message.ts";
import type { DialMessages } from "../base/http/message-socket.ts";
import { type DialTarget, hostPort } from "../base/network.ts";
import type { DialStreams } from "../base/stream-connection.ts";
import { impersonationHeaders } from "../client/impersonated-user.ts";
import { byteStream } from "../platform/byte-stream.ts";
import { type DialOptions, dialSocket, secureSocket } from "../platform/dial-socket.ts";
import { spdyOf, spdyRequest } from "../platform/spdy/dial-spdy.ts";
import {
  type UpgradedConnection,
  type UpgradeRequest,
  upgradeStream,
} from "../platform/spdy/dial-upgrade.ts";
import { webSocketOf, webSocketRequest } from "../platform/spdy/dial-web-socket.ts";
import { fixedCredentials } from "./credentials.ts";
import type { HttpsTransportOptions } from "./https-transport.ts";
import { hostOf, portOf } from "./proxies/proxy-choice.ts";
import { tunnel } from "./proxies/tunnel.ts";

/** Opens connections with many streams to paths of an API server: for exec, attach, and ports. */
export interface ApiStreams {
  /** Through SPDY/3.1. */
  readonly spdy: DialStreams;
  /** Through a WebSocket. */
  readonly webSocket: DialMessages;
  /** Upgrades a connection as a request says. */
  upgrade(path: string, request: UpgradeRequest): Promise<UpgradedConnection>;
}

/** The connections with streams to the server of a transport; all requests have the headers given. */
export function dialApiStreams(
  options: HttpsTransportOptions,
  headers: Readonly<Record<string, string>> = {},
): ApiStreams {
  const server = new URL(options.server);
  const upgrade = async (path: string, request: UpgradeRequest): Promise<UpgradedConnection> => {
    const { target, lines } = await identified(server, options);
    const stream = byteStream(await dial(target, options.proxy?.(server), request));
    // What the request says itself takes precedence.
    const isGiven = (name: string): boolean =>
      headerOf(request.headers, name.toLowerCase()) !== undefined;
    return upgradeStream(stream, {
      ...request,
      headers: [...lines.filter(([name]) => !isGiven(name)), ...request.headers],
      host: hostPort(target.host, target.port),
      path: `${server.pathname.replace(/\/$/, "")}${path}`,
    });
  };
  const own = Object.entries(headers);
  return {
    upgrade,
    spdy: async (path, how) => spdyOf(await upgrade(path, spdyRequest(how, own)), { pingMs: 5000 }),
    async webSocket(path, how) {
      const request = webSocketRequest(how, own);
      return webSocketOf(await upgrade(path, request), request, how);
    },
  };
}

/** The server with our certificate, and the headers that say who we are. */
async function identified(
  server: URL,
  { credentials = fixedCredentials({}), impersonate, userAgent, ...options }: HttpsTransportOptions,
): Promise<{ readonly target: DialTarget; readonly lines: HeaderLines }> {
  const { authorization, cert, key } = await credentials.current();
  const ca = await options.authorities?.();
  const { serverName, insecure } = options;
  const headers = {
    ...(authorization !== undefined && { Authorization: authorization }),
    ...(userAgent !== undefined && { "User-Agent": userAgent }),
    ...(impersonate && impersonationHeaders(impersonate)),
  };
  return {
    target: {
      host: hostOf(server),
      port: portOf(server),
      ...(server.protocol === "https:" && { tls: { ca, cert, key, serverName, insecure } }),
    },
    lines: Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one] as const),
    ),
  };
}

async function dial(
  target: DialTarget,
  proxy: URL | undefined,
  { signal }: Pick<DialOptions, "signal">,
): Promise<Socket> {
  if (!proxy) return dialSocket(target, { signal, allowHalfOpen: true });
  const { tls, ...at } = target;
  const socket = await tunnel(proxy, at, { signal });
  return tls ? secureSocket(socket, { ...at, tls }, { signal }) : socket;
}
