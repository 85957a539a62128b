import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { onAbort } from "../base/on-abort.ts";
import { brokenMessage } from "../platform/dial-message.ts";
import {
  type Exchange,
  ExchangeError,
  headersOf,
  type Sender,
  type WireRequest,
} from "./wire-exchange.ts";

/** A pool of HTTP/1.1 connections, each with one request at a time. */
export interface Http1Sender extends Sender {
  /** Whether a connection is idle; `send` needs one. */
  hasIdle(): boolean;
  /** Adds an idle connection. */
  add(socket: Socket): void;
  /** Closes connections as they become idle. */
  retire(): void;
  /** Closes all connections at once. */
  close(): void;
}

/** Go's idle timeout; opening a connection costs more than keeping one. */
const idleMs = 90_000;
const mostIdle = 100;

export function http1Sender(): Http1Sender {
  const all = new Set<Socket>();
  const used = new WeakSet<Socket>();
  /** Idle connections, which do not keep the process alive. */
  const idle: Socket[] = [];
  let isRetired = false;

  const rest = (socket: Socket): void => {
    if (socket.destroyed) return;
    if (isRetired || idle.length >= mostIdle) {
      socket.destroy();
      return;
    }
    socket.setTimeout(idleMs);
    socket.unref();
    idle.push(socket);
  };
  const take = (): Socket => {
    const socket = idle.pop();
    if (socket === undefined) throw new ExchangeError("no connection is open", { notSent: true });
    socket.setTimeout(0);
    socket.ref();
    return socket;
  };

  return {
    hasIdle: () => idle.length > 0,
    add(socket) {
      all.add(socket);
      socket.on("error", () => {});
      socket.on("free", () => rest(socket));
      socket.on("timeout", () => socket.destroy());
      const leave = (): void => {
        const place = idle.indexOf(socket);
        if (place >= 0) idle.splice(place, 1);
        all.delete(socket);
      };
      socket.on("close", leave).on("end", leave);
      rest(socket);
    },
    async send(wire, signal) {
      const socket = take();
      const reused = used.has(socket);
      used.add(socket);
      return exchanged(wire, { socket, reused, signal });
    },
    retire() {
      isRetired = true;
      for (const socket of [...idle]) socket.destroy();
    },
    close() {
      isRetired = true;
      for (const socket of all) socket.destroy();
    },
  };
}

function exchanged(
  wire: WireRequest,
  {
    socket,
    reused,
    signal,
  }: {
    readonly socket: Socket;
    readonly reused: boolean;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      method: wire.method,
      path: wire.target,
      headers: headersFor(wire),
    });
    const unfollow = onAbort(signal, () => {
      outgoing.destroy();
      reject(signal?.reason);
    });
    outgoing.on("response", (incoming) => {
      unfollow();
      resolve(exchangeOf(incoming));
    });
    outgoing.on("error", (error) => {
      unfollow();
      const message = error.message === "socket hang up" ? "EOF" : brokenMessage(error);
      reject(new ExchangeError(message, { reused, cause: error }));
    });
    // As bytes: with a string, Node would send the headers in the encoding of the body.
    outgoing.end(typeof wire.body === "string" ? Buffer.from(wire.body) : wire.body);
  });
}

function headersFor({ authority, headers, body, method }: WireRequest) {
  const own: Record<string, string | string[]> = { host: authority, connection: "keep-alive" };
  for (const [name, value] of Object.entries(headers))
    own[name] = typeof value === "string" ? value : [...value];
  if (body !== undefined) own["content-length"] = String(Buffer.byteLength(body));
  else if (writes.has(method)) own["content-length"] = "0";
  return own;
}

const writes: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

function exchangeOf(incoming: IncomingMessage): Exchange {
  // The stream reports the error to its reader; without a listener it would be uncaught.
  incoming.on("error", () => {});
  return {
    status: incoming.statusCode ?? 0,
    headers: headersOf(incoming.rawHeaders),
    body: incoming,
    shortened: () => (incoming.complete ? undefined : "unexpected EOF"),
    abandon: (reason) => void incoming.destroy(reason),
  };
}
