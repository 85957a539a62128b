import type { Socket } from "node:net";
import { type DialTarget, type DialTls, hostPort } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import { type DialOptions, dialSocket } from "../../platform/dial-socket.ts";
import { readHead } from "../../platform/read-head.ts";
import { hostOf, portOf } from "./proxy-choice.ts";
import { socksHandshake } from "./socks-handshake.ts";

/** Opens a connection to a target through a proxy. */
export async function tunnel(
  proxy: URL,
  target: DialTarget,
  { signal }: Pick<DialOptions, "signal">,
): Promise<Socket> {
  const isSocks = proxy.protocol === "socks5:";
  const socket = await dialProxy(proxy, signal);
  const unfollow = onAbort(signal, () => void socket.destroy());
  try {
    if (isSocks) await socksHandshake(socket, proxy, target);
    else await connectMethod(socket, proxy, target);
    return socket;
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    throw cause;
  } finally {
    unfollow();
  }
}

/** Opens a connection to the proxy itself, with TLS for an `https:` URL. */
export async function dialProxy(proxy: URL, signal: AbortSignal): Promise<Socket> {
  const tls: { readonly tls?: DialTls } = proxy.protocol === "https:" ? { tls: {} } : {};
  const at: DialTarget = { host: hostOf(proxy), port: portOf(proxy), ...tls };
  try {
    return await dialSocket(at, { signal });
  } catch (cause) {
    signal.throwIfAborted();
    const step = proxy.protocol === "socks5:" ? "socks connect" : "proxyconnect";
    throw new Error(`${step} tcp: ${(cause as Error).message}`, { cause });
  }
}

/** The Proxy-Authorization header; undefined if the proxy's URL has no user. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === "") return undefined;
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

async function connectMethod(socket: Socket, proxy: URL, target: DialTarget): Promise<void> {
  const place = hostPort(target.host, target.port);
  const authorization = proxyAuthorization(proxy);
  socket.write(
    `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${
      authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`
    }\r\n`,
  );
  const head = await readHead(socket);
  const [, status, reason] = /^HTTP\/1\.\d (\d{3}) ?([^\r\n]*)/.exec(head) ?? [];
  if (status === undefined)
    throw new Error(`malformed HTTP response ${JSON.stringify(head.split("\r\n")[0])}`);
  if (status !== "200") throw new Error(reason || `unknown status code`);
}
