import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { type ConnectionOptions, checkServerIdentity, connect as connectTls } from "node:tls";
import type { DialTarget, Network } from "../base/network.ts";
import { byteStream } from "./byte-stream.ts";
import { brokenMessage, dialMessage } from "./dial-message.ts";

/** The machine's own network. */
export const realNetwork: Network = {
  async dial(target, signal) {
    signal.throwIfAborted();
    const socket = open(target);
    const give = (): void => void socket.destroy();
    signal.addEventListener("abort", give, { once: true });
    try {
      await connected(socket, target.tls ? "secureConnect" : "connect");
      return byteStream(socket, brokenMessage);
    } catch (cause) {
      socket.destroy();
      signal.throwIfAborted();
      throw new Error(dialMessage(target, cause), { cause });
    } finally {
      signal.removeEventListener("abort", give);
    }
  },

  async lookup(host) {
    if (isIP(host) !== 0) return [host];
    try {
      return (await lookup(host, { all: true })).map(({ address }) => address);
    } catch (cause) {
      throw new Error(`lookup ${host}: no such host`, { cause });
    }
  },
};

/** Each side may end while the other goes on. */
const both = { allowHalfOpen: true, noDelay: true, keepAlive: true } as const;

function open({ host, port, tls }: DialTarget): Socket {
  if (!tls) return connect({ host, port, ...both });
  const { ca, cert, key, insecure = false, serverName = host } = tls;
  const options: ConnectionOptions & { readonly noDelay: boolean } = {
    ...both,
    host,
    port,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    rejectUnauthorized: !insecure,
    ALPNProtocols: ["http/1.1"],
    // An address is no name that could be sent ahead.
    ...(isIP(serverName) === 0 && { servername: serverName }),
    checkServerIdentity: (_, certificate) => checkServerIdentity(serverName, certificate),
  };
  return connectTls(options);
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
