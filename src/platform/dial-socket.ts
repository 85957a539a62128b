import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect as connectTls,
  type TLSSocket,
} from "node:tls";
import type { DialTarget, DialTls } from "../base/network.ts";
import { onAbort } from "../base/on-abort.ts";
import { dialMessage } from "./dial-message.ts";

/** Opens a connection to a target as a Node socket; errors are in Go's words. */
export async function dialSocket(
  target: DialTarget,
  { signal, protocols, allowHalfOpen = false }: DialOptions,
): Promise<Socket> {
  signal.throwIfAborted();
  const { host, port, tls } = target;
  const how = { host, port, allowHalfOpen, noDelay: true, keepAlive: true };
  const socket = tls ? connectTls({ ...how, ...tlsOptions(target, tls, protocols) }) : connect(how);
  return opened(socket, target, signal);
}

/** Opens a connection without TLS, such as through a proxy. */
export type Dial = (
  place: Pick<DialTarget, "host" | "port">,
  signal: AbortSignal,
) => Promise<Socket>;

/** Starts TLS on an open connection, to a server behind a proxy. */
export async function secureSocket(
  socket: Duplex,
  target: DialTarget & { readonly tls: DialTls },
  { signal, protocols }: DialOptions,
): Promise<TLSSocket> {
  signal.throwIfAborted();
  const secured = connectTls({ socket, ...tlsOptions(target, target.tls, protocols) });
  return (await opened(secured, target, signal)) as TLSSocket;
}

export interface DialOptions {
  readonly signal: AbortSignal;
  /** The protocols to offer in TLS, the preferred first; HTTP/1.1 if not given. */
  readonly protocols?: readonly string[] | undefined;
  /** Whether each direction may end on its own; if not, both end together. */
  readonly allowHalfOpen?: boolean | undefined;
}

function tlsOptions(
  { host }: DialTarget,
  { ca, cert, key, insecure = false, serverName = host }: DialTls,
  protocols: readonly string[] = ["http/1.1"],
): ConnectionOptions {
  return {
    // As in Go, each given certificate is trusted, also one that an unknown authority has signed.
    ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    rejectUnauthorized: !insecure,
    ALPNProtocols: [...protocols],
    // SNI allows host names only, no IP addresses.
    ...(isIP(serverName) === 0 && { servername: serverName }),
    checkServerIdentity: (_, certificate) => checkServerIdentity(serverName, certificate),
  };
}

async function opened(socket: Socket, target: DialTarget, signal: AbortSignal): Promise<Socket> {
  const unfollow = onAbort(signal, () => void socket.destroy());
  try {
    await connected(socket, target.tls ? "secureConnect" : "connect");
    return socket;
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    throw new Error(dialMessage(target, cause), { cause });
  } finally {
    unfollow();
  }
}

function connected(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      socket.off(event, done).off("error", settle).off("close", closed);
      if (error) reject(error);
      else resolve();
    };
    const done = (): void => settle();
    const closed = (): void => settle(new Error("EOF"));
    socket.on(event, done).on("error", settle).on("close", closed);
  });
}
