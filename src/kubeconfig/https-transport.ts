import type { Clock } from "../base/clock.ts";
import { type DialTarget, hostPort } from "../base/network.ts";
import { onAbort } from "../base/on-abort.ts";
import { type Impersonation, impersonationHeaders } from "../client/impersonated-user.ts";
import {
  defaultAccept,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../client/transport.ts";
import type { Dial } from "../platform/dial-socket.ts";
import { realClock } from "../platform/real-clock.ts";
import { stringifyJson } from "../schema/json/strict-json.ts";
import { type Connections, connections } from "./connections.ts";
import { type Credentials, fixedCredentials, type Identity } from "./credentials.ts";
import { hostOf, type ProxyChoice, portOf } from "./proxies/proxy-choice.ts";
import { proxyAuthorization } from "./proxies/tunnel.ts";
import { responseOf } from "./response-body.ts";
import { ExchangeError, type WireRequest } from "./wire-exchange.ts";

export interface HttpsTransportOptions {
  /** The server's URL; its path is prepended to that of every call. An `http:` URL means no TLS. */
  readonly server: string | URL;
  /** The server's certificate authorities, as PEM; those that the machine trusts if not given. */
  readonly authorities?: (() => Promise<string | undefined>) | undefined;
  /** The name that the server's certificate must contain, if it is not that of its URL. */
  readonly serverName?: string | undefined;
  /** Skips verification of the server's certificate. */
  readonly insecure?: boolean | undefined;
  /** Our credentials; none if not given. */
  readonly credentials?: Credentials | undefined;
  /** The user to impersonate, for calls that do not name one themselves. */
  readonly impersonate?: Impersonation | undefined;
  /** The proxy for the server; none if not given. */
  readonly proxy?: ProxyChoice | undefined;
  /** Opens connections without a proxy, below TLS; directly if not given. */
  readonly dial?: Dial | undefined;
  /** Whether the server may compress responses; true if not given. */
  readonly compression?: boolean | undefined;
  /** The protocols to offer, the preferred first; HTTP/2 and HTTP/1.1 if not given. */
  readonly protocols?: readonly ("h2" | "http/1.1")[] | undefined;
  readonly userAgent?: string | undefined;
  readonly clock?: Clock | undefined;
  /** After how long a silence of a connection with pending requests a ping is sent. */
  readonly readIdleMs?: number | undefined;
  /** How long the answer to a ping may take. */
  readonly pingMs?: number | undefined;
}

/** A transport over the network: it opens connections when needed, keeps them, and closes them in `close`. */
export interface HttpsTransport extends Transport {
  close(): void;
}

/** Creates a transport to a server over HTTPS, with HTTP/2 or HTTP/1.1. */
export function httpsTransport(options: HttpsTransportOptions): HttpsTransport {
  const url = new URL(options.server);
  const { credentials = fixedCredentials({}) } = options;
  const pool = connectionPool(url, options);

  const attempt = async (
    request: TransportRequest,
    identity: Identity,
  ): Promise<TransportResponse> => {
    const { signal } = request;
    const wire = wireRequest(request, { server: url, identity, options, proxy: pool.proxy });
    for (let tries = 1; ; tries++) {
      try {
        const server = await reached(pool.current(identity), signal);
        const exchange = await server.send(wire, signal);
        return responseOf(exchange, signal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof ExchangeError)) throw error;
        if (tries >= mostTries || !mayRepeat(error, wire))
          throw new TransportError(error.message, { cause: error });
      }
    }
  };

  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    request.signal?.throwIfAborted();
    if (pool.closed()) throw new TransportError("the transport is closed");
    const identity = await reached(credentials.current(), request.signal);
    const response = await attempt(request, identity);
    if (response.status !== 401 || request.headers.authorization !== undefined) return response;
    const isRenewed = await reached(credentials.renew(identity), request.signal).catch(() => false);
    request.signal?.throwIfAborted();
    if (!isRenewed) return response;
    await response.value().catch(() => undefined);
    return attempt(request, await reached(credentials.current(), request.signal));
  };
  const close = (): void => {
    pool.close();
    credentials.close?.();
  };
  return Object.assign(send, { close });
}

/** How often a request is sent that the server has certainly not processed. */
const mostTries = 4;

const repeatable: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** A reused connection may have been closed while it was idle: retry requests that change nothing. */
function mayRepeat({ notSent, reused }: ExchangeError, { method }: WireRequest): boolean {
  return notSent || (reused && repeatable.has(method));
}

interface Pool {
  /** The connections for the current credentials; those for earlier ones accept no more requests. */
  current(identity: Identity): Promise<Connections>;
  /** The proxy that gets plain requests, without a tunnel. */
  readonly proxy: URL | undefined;
  closed(): boolean;
  close(): void;
}

function connectionPool(server: URL, options: HttpsTransportOptions): Pool {
  const { authorities, serverName, insecure, dial, clock = realClock } = options;
  const { protocols = ["h2", "http/1.1"], readIdleMs = 30_000, pingMs = 15_000 } = options;
  const proxy = options.proxy?.(server);
  const isSecure = server.protocol === "https:";
  const all = new Set<Connections>();
  let latest: { readonly key: string; readonly connections: Connections } | undefined;
  let isClosed = false;

  const target = (ca: string | undefined, { cert, key }: Identity): DialTarget => ({
    host: hostOf(server),
    port: portOf(server),
    ...(isSecure && { tls: { ca, cert, key, serverName, insecure } }),
  });
  return {
    proxy: isSecure || proxy?.protocol === "socks5:" ? undefined : proxy,
    async current(identity) {
      const ca = await authorities?.();
      const key = [ca, identity.cert, identity.key].join("\0");
      if (latest?.key !== key) {
        latest?.connections.retire();
        const to = { target: target(ca, identity), proxy, dial };
        const how = { ...to, protocols, clock, readIdleMs, pingMs };
        latest = { key, connections: connections(how) };
        all.add(latest.connections);
      }
      return latest.connections;
    },
    closed: () => isClosed,
    close() {
      isClosed = true;
      for (const each of all) each.close();
    },
  };
}

/** The result of a promise, or the signal's reason if it aborts first; failures become transport errors. */
async function reached<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let unfollow = (): void => {};
  const left = new Promise<never>((_, reject) => {
    unfollow = onAbort(signal, () => reject(signal?.reason));
  });
  try {
    return await (signal ? Promise.race([work, left]) : work);
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new TransportError((cause as Error).message, { cause });
  } finally {
    unfollow();
  }
}

function wireRequest(
  { method, path, query, headers, body }: TransportRequest,
  {
    server,
    identity,
    options,
    proxy,
  }: {
    readonly server: URL;
    readonly identity: Identity;
    readonly options: HttpsTransportOptions;
    readonly proxy: URL | undefined;
  },
): WireRequest {
  const { compression = true, userAgent = defaultUserAgent, impersonate } = options;
  const authority = hostPort(hostOf(server), portOf(server));
  const prefix = server.pathname.replace(/\/$/, "");
  const target = `${prefix}${path}${query === "" ? "" : `?${query}`}`;
  const isText = typeof body === "string" || body instanceof Uint8Array;
  const toProxy = proxy && proxyAuthorization(proxy);
  return {
    method,
    // A proxy without a tunnel needs the absolute URL.
    target: proxy ? `http://${authority}${target}` : target,
    authority,
    headers: {
      accept: defaultAccept,
      "user-agent": userAgent,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(compression && method !== "HEAD" && { "accept-encoding": "gzip" }),
      ...(identity.authorization !== undefined && { authorization: identity.authorization }),
      ...(toProxy !== undefined && { "proxy-authorization": toProxy }),
      ...(impersonate && !headers["impersonate-user"] && impersonationHeaders(impersonate)),
      ...headers,
    },
    body: body === undefined || isText ? body : stringifyJson(body),
  };
}

const defaultUserAgent = `wherry (${process.platform}/${process.arch})`;
