import type { Socket } from "node:net";
import { type DialTarget, type DialTls, hostPort } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import { type DialOptions, dialSocket } from "../../platform/dial-socket.ts";
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

/** The longest head of a proxy's response. */
const longestHead = 64 * 1024;

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

/** Reads the head of a response; what follows it stays in the socket. */
function readHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const settle = (act: () => void): void => {
      socket.off("readable", read).off("error", fail).off("close", closed).off("end", closed);
      act();
    };
    const fail = (error: Error): void => settle(() => reject(error));
    const closed = (): void => fail(new Error("unexpected EOF"));
    const read = (): void => {
      for (let part = socket.read(); part !== null; part = socket.read()) {
        head = Buffer.concat([head, part as Uint8Array]);
        const end = head.indexOf("\r\n\r\n");
        if (end >= 0) {
          settle(() => {
            if (end + 4 < head.length) socket.unshift(head.subarray(end + 4));
            resolve(head.subarray(0, end).toString("latin1"));
          });
          return;
        }
        if (head.length > longestHead) {
          fail(new Error("the answer of the proxy is too long"));
          return;
        }
      }
    };
    socket.on("readable", read).on("error", fail).on("close", closed).on("end", closed);
    read();
  });
}
