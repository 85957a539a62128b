import type { Socket } from "node:net";
import { connect } from "node:net";
import { hostPort } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import { type Dial, dialSocket } from "../../platform/dial-socket.ts";
import { readHead } from "../../platform/read-head.ts";
import type { EgressRoute } from "./read-egress.ts";

type ConnectRoute = Extract<EgressRoute, { readonly protocol: "http_connect" }>;

/** Opens a connection to a proxy of HTTP. */
export async function dialConnectProxy(route: ConnectRoute, signal: AbortSignal): Promise<Socket> {
  if ("host" in route) return dialSocket(route, { signal, allowHalfOpen: true });
  signal.throwIfAborted();
  const socket = connect({ path: route.socket, allowHalfOpen: true });
  const unfollow = onAbort(signal, () => void socket.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject).once("close", reject);
    });
    return socket;
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(`dial unix ${route.socket}: ${socketFault(cause)}`, { cause });
  } finally {
    unfollow();
  }
}

/** Has a proxy connect to a place; its connection is that from then on. */
export async function connectThrough(
  socket: Socket,
  { route, place, signal }: Connecting,
): Promise<Socket> {
  const proxy = "host" in route ? hostPort(route.host, route.port) : route.socket;
  const address = hostPort(place.host, place.port);
  const unfollow = onAbort(signal, () => void socket.destroy());
  try {
    socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    const head = await readHead(socket).catch((cause: Error) => {
      throw new Error(
        `reading HTTP response from CONNECT to ${address} via proxy ${proxy} failed: ${cause.message}`,
        { cause },
      );
    });
    const [, status, code] = /^HTTP\/1\.\d ((\d{3})[^\r\n]*)/.exec(head) ?? [];
    if (code === "200") return socket;
    const [first = ""] = head.split("\r\n");
    throw new Error(
      code === undefined
        ? `reading HTTP response from CONNECT to ${address} via proxy ${proxy} failed: malformed HTTP response ${JSON.stringify(first)}`
        : `proxy error from ${proxy} while dialing ${address}, code ${code}: ${status}`,
    );
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    throw cause;
  } finally {
    unfollow();
  }
}

interface Connecting {
  readonly route: ConnectRoute;
  readonly place: Parameters<Dial>[0];
  readonly signal: AbortSignal;
}

function socketFault(error: unknown): string {
  const { code = "", message = "closed" } = (error ?? {}) as NodeJS.ErrnoException;
  return faults[code] ?? message;
}

const faults: Readonly<Record<string, string>> = {
  ENOENT: "connect: no such file or directory",
  ECONNREFUSED: "connect: connection refused",
  EACCES: "connect: permission denied",
};
