import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Clock, withDeadline } from "../base/clock.ts";
import { type DialTarget, hostPort } from "../base/network.ts";
import { onAbort } from "../base/on-abort.ts";
import { type Dial, dialSocket, secureSocket } from "../platform/dial-socket.ts";
import { http1Sender } from "./http1-sender.ts";
import { type Http2Sender, http2Sender } from "./http2-sender.ts";
import { dialProxy, tunnel } from "./proxies/tunnel.ts";
import { type Exchange, ExchangeError, type WireRequest } from "./wire-exchange.ts";

/** The connections to one server under one identity: opened when needed, kept for the next request. */
export interface Connections {
  /** Throws an ExchangeError if there is no response, or the signal's reason. */
  send(request: WireRequest, signal: AbortSignal | undefined): Promise<Exchange>;
  /** Accepts no more requests, and closes when pending ones are done. */
  retire(): void;
  /** Closes all connections at once. */
  close(): void;
}

export interface ConnectionOptions {
  readonly target: DialTarget;
  readonly proxy: URL | undefined;
  /** Opens the connection to a target without a proxy, below TLS; directly if not given. */
  readonly dial?: Dial | undefined;
  readonly protocols: readonly ("h2" | "http/1.1")[];
  readonly clock: Clock;
  readonly readIdleMs: number;
  readonly pingMs: number;
}

/** Go's timeouts for the connection, and then for the TLS handshake. */
const dialMs = 30_000;
const handshakeMs = 10_000;

export function connections(options: ConnectionOptions): Connections {
  const { target, clock } = options;
  const authority = hostPort(target.host, target.port);
  /** Aborts each attempt to open a connection. */
  const dials = new Set<AbortController>();
  const http1 = http1Sender();
  const http2 = new Set<Http2Sender>();
  let speaks: "h2" | "http/1.1" | undefined = target.tls ? undefined : "http/1.1";
  let dialling: SharedDial | undefined;
  let isClosed = false;

  const take = (socket: Socket): void => {
    const isHttp2 = target.tls !== undefined && (socket as TLSSocket).alpnProtocol === "h2";
    speaks = isHttp2 ? "h2" : "http/1.1";
    if (!isHttp2) {
      http1.add(socket);
      return;
    }
    const sender = http2Sender(socket, { ...options, authority, clock });
    http2.add(sender);
    socket.once("close", () => http2.delete(sender));
  };
  const dial = async (signal: AbortSignal | undefined): Promise<void> => {
    const ending = new AbortController();
    const unfollow = onAbort(signal, () => ending.abort(signal?.reason));
    dials.add(ending);
    try {
      take(await open(options, ending.signal));
    } finally {
      dials.delete(ending);
      unfollow();
    }
  };
  /** All callers that need a shared connection wait for the same one. */
  const dialShared = async (signal: AbortSignal | undefined): Promise<void> => {
    dialling ??= sharedDial(async (given) => {
      try {
        await dial(given);
      } finally {
        dialling = undefined;
      }
    });
    await dialling.wait(signal);
  };
  const shared = (): Http2Sender | undefined => {
    for (const sender of http2) if (sender.canTake()) return sender;
    return undefined;
  };

  return {
    async send(request, signal) {
      for (;;) {
        signal?.throwIfAborted();
        if (isClosed) throw new ExchangeError(closedText, { notSent: true });
        const sender = shared();
        if (sender) return sender.send(request, signal);
        if (speaks === "http/1.1") {
          if (http1.hasIdle()) return http1.send(request, signal);
          await dialled(dial(signal), signal);
        } else await dialled(dialShared(signal), signal);
      }
    },
    retire() {
      http1.retire();
      for (const sender of http2) sender.retire();
    },
    close() {
      isClosed = true;
      for (const ending of dials) ending.abort(new Error(closedText));
      http1.close();
      for (const sender of http2) sender.close();
    },
  };
}

const closedText = "the transport is closed";

/** A failed connection attempt counts as a request that was not sent. */
async function dialled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ExchangeError((cause as Error).message, { cause });
  }
}

interface SharedDial {
  wait(signal: AbortSignal | undefined): Promise<void>;
}

/** Work that several callers wait for; it is aborted when none is left. */
function sharedDial(work: (signal: AbortSignal) => Promise<void>): SharedDial {
  const ending = new AbortController();
  const done = work(ending.signal);
  done.catch(() => {});
  let waiting = 0;
  return {
    async wait(signal) {
      waiting++;
      let unfollow = (): void => {};
      const left = new Promise<never>((_, reject) => {
        unfollow = onAbort(signal, () => reject(signal?.reason));
      });
      try {
        await (signal ? Promise.race([done, left]) : done);
      } finally {
        unfollow();
        if (--waiting === 0)
          ending.abort(new Error("no request waits for the connection any more"));
      }
    },
  };
}

async function open(options: ConnectionOptions, signal: AbortSignal): Promise<Socket> {
  const { target, proxy, dial = dialDirectly, protocols, clock } = options;
  const { host, port, tls } = target;
  const place = hostPort(host, port);
  const bounded = <T>(ms: number, fault: string, work: (given: AbortSignal) => Promise<T>) =>
    withDeadline({ clock, ms, signal }, work).catch((cause: unknown) => {
      signal.throwIfAborted();
      const isLate = cause instanceof Error && cause.name === "DeadlineExceeded";
      throw isLate ? new Error(fault, { cause }) : cause;
    });
  const connected = (work: (given: AbortSignal) => Promise<Socket>): Promise<Socket> =>
    bounded(dialMs, `dial tcp ${place}: i/o timeout`, work);

  if (!tls && proxy && proxy.protocol !== "socks5:")
    return connected((given) => dialProxy(proxy, given));
  const socket = await connected((given) =>
    proxy ? tunnel(proxy, target, { signal: given }) : dial({ host, port }, given),
  );
  if (!tls) return socket;
  try {
    return await bounded(handshakeMs, "net/http: TLS handshake timeout", (given) =>
      secureSocket(socket, { ...target, tls }, { signal: given, protocols }),
    );
  } catch (fault) {
    // An invalid client certificate prevents the TLS handshake: close the socket here.
    socket.destroy();
    throw fault;
  }
}

const dialDirectly: Dial = (place, signal) => dialSocket(place, { signal });
