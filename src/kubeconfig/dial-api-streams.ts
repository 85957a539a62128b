import type { Socket } from "node:net";
import { type DialTarget, hostPort } from "../base/network.ts";
import type { DialStreams } from "../base/stream-connection.ts";
import { impersonationHeaders } from "../client/impersonated-user.ts";
import { byteStream } from "../platform/byte-stream.ts";
import { type DialOptions, dialSocket, secureSocket } from "../platform/dial-socket.ts";
import { spdyOf, spdyRequest } from "../platform/spdy/dial-spdy.ts";
import { upgradeStream } from "../platform/spdy/dial-upgrade.ts";
import { fixedCredentials } from "./credentials.ts";
import type { HttpsTransportOptions } from "./https-transport.ts";
import { hostOf, portOf } from "./proxies/proxy-choice.ts";
import { tunnel } from "./proxies/tunnel.ts";

/** Opens connections with many streams to paths of an API server, such as those that forward ports, through SPDY/3.1. */
export function dialApiStreams(options: HttpsTransportOptions): DialStreams {
  const server = new URL(options.server);
  const { credentials = fixedCredentials({}), impersonate, userAgent } = options;
  return async (path, how) => {
    const { authorization, cert, key } = await credentials.current();
    const ca = await options.authorities?.();
    const { serverName, insecure } = options;
    const target: DialTarget = {
      host: hostOf(server),
      port: portOf(server),
      ...(server.protocol === "https:" && { tls: { ca, cert, key, serverName, insecure } }),
    };
    const headers = {
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(userAgent !== undefined && { "User-Agent": userAgent }),
      ...(impersonate && impersonationHeaders(impersonate)),
    };
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one] as const),
    );
    const stream = byteStream(await dial(target, options.proxy?.(server), how));
    const upgraded = await upgradeStream(stream, {
      ...spdyRequest(how, lines),
      host: hostPort(target.host, target.port),
      path: `${server.pathname.replace(/\/$/, "")}${path}`,
    });
    return spdyOf(upgraded);
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
