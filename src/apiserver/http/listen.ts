import {
  createServer as createPlainServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { ServerHttp2Session } from "node:http2";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket, TlsOptions } from "node:tls";
import { LinkedList } from "../../base/linked-list.ts";
import type { Log } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import { tlsHandshakeErrors } from "../metrics/server-metrics.ts";
import type { Handler } from "../request/request.ts";
import type { Connection, Service } from "./http-exchange.ts";
import { serveMessage, serveUpgrade } from "./http1-exchange.ts";
import { answerParserFault } from "./http1-faults.ts";
import { serveHttp2 } from "./http2-session.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { type PeerIdentity, type ProxyAuthorities, readPeer, unknownPeer } from "./peer.ts";
import { http1Options, tlsOptions } from "./tls-server-options.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Absent for HTTP/1.1 without encryption. */
  readonly tls?: ServingTls | undefined;
  /** Whether to offer HTTP/2 beside HTTP/1.1; true when absent. */
  readonly http2?: boolean;
  /** Called for each HTTP/2 request: whether its client should reconnect after the response. */
  readonly goaway?: () => boolean;
  readonly handler: Handler;
  /** Whether a request is for another server, so that its body is passed on as it arrives; none is if not given. */
  readonly isProxied?: ((path: string) => boolean) | undefined;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** Counts failed TLS handshakes. */
  readonly metrics?: Metrics;
  /** Milliseconds since the epoch; the machine's clock when absent. */
  readonly now?: () => number;
}

/** Certificates in PEM, and TLS settings; `ca` verifies the certificates of clients, and of front proxies. */
export interface ServingTls
  extends Pick<
    TlsOptions,
    "cert" | "key" | "ca" | "minVersion" | "ciphers" | "ecdhCurve" | "SNICallback"
  > {
  /** Which of the authorities are those of front proxies; none are if not given. */
  readonly proxyAuthorities?: ProxyAuthorities | undefined;
}

export interface Listener {
  readonly port: number;
  /** Uses other certificates for new connections. */
  renew(tls: ServingTls): void;
  /**
   * Stops accepting, ends streams, and waits at most `deadline` milliseconds for running requests. Clients that do
   * not read the end of their streams, because they are out of reach, are not waited for.
   */
  close(deadline?: number): Promise<void>;
}

/** Serves requests over TLS, by HTTP/2 and HTTP/1.1 on one port. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const listener = new HttpListener(options);
  await listener.bind(options);
  return listener;
}

class HttpListener implements Listener {
  readonly #service: Service;
  readonly #server: HttpServer;
  /** Every open socket, for those that must be cut off at the end. */
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** The connections, by their sockets; a secure one is here after its handshake. */
  readonly #connections = new Map<Duplex, Connection>();
  /** The latest response on each HTTP/1.1 connection. */
  readonly #responses = new WeakMap<object, ServerResponse>();
  #tls: ServingTls | undefined;
  #port = 0;
  #closing: Promise<void> | undefined = undefined;

  constructor(options: ListenOptions) {
    const limits = { ...defaultLimits, ...options.limits };
    const { handler, log, now = Date.now, goaway, tls, http2, metrics = noMetrics } = options;
    const { isProxied } = options;
    this.#service = {
      handler,
      limits,
      log,
      now,
      goaway,
      isProxied,
      active: new LinkedList(),
      stopping: false,
    };
    this.#tls = tls;
    this.#server = tls ? this.#secureServer(tls, { limits, http2, metrics }) : plainServer(limits);
    this.#trackSockets();
    this.#serveHttp1();
  }

  get port(): number {
    return this.#port;
  }

  bind({ port, host }: Pick<ListenOptions, "port" | "host">): Promise<void> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once("error", reject).listen(port, host, () => {
        server.off("error", reject);
        server.on("error", (error) => this.#service.log.error("cannot accept connections", error));
        this.#port = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  renew(tls: ServingTls): void {
    if (!("setSecureContext" in this.#server)) throw new Error("this server has no certificates");
    this.#tls = tls;
    this.#server.setSecureContext({ ...tlsOptions(this.#service.limits), ...tls });
  }

  close(deadline = defaultDeadline): Promise<void> {
    this.#closing ??= this.#close(deadline);
    return this.#closing;
  }

  #secureServer(
    tls: ServingTls,
    { limits, http2, metrics }: { limits: Limits; http2: boolean | undefined; metrics: Metrics },
  ): Server {
    const server = createServer({
      ...tlsOptions(limits),
      ...http1Options(limits),
      ...(http2 === false && { ALPNProtocols: ["http/1.1"] }),
      ...tls,
      SNICallback: (name, done) => {
        if (this.#tls?.SNICallback) this.#tls.SNICallback(name, done);
        else done(null);
      },
    });
    this.#chooseProtocol(server);
    this.#reportFailedHandshakes(server, metrics);
    return server;
  }

  #trackSockets(): void {
    const isPlain = this.#tls === undefined;
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      if (isPlain) this.#connect(socket, unknownPeer);
    });
  }

  #connect(socket: Socket, identity: PeerIdentity): Connection {
    const { remoteAddress = "" } = socket;
    const connection = { service: this.#service, identity, remoteAddress, open: 0 };
    this.#connections.set(socket, connection);
    socket.on("close", () => this.#connections.delete(socket));
    return connection;
  }

  /** Node would speak HTTP/1.1 on every connection: its listener gets only those that did not choose HTTP/2. */
  #chooseProtocol(server: Server): void {
    const [serveConnection] = server.listeners("secureConnection");
    if (serveConnection === undefined)
      throw new Error("this version of Node has no HTTP/1.1 listener");
    server.removeAllListeners("secureConnection");
    server.on("secureConnection", (socket: TLSSocket) => {
      const connection = this.#connect(socket, readPeer(socket, this.#tls?.proxyAuthorities));
      if (socket.alpnProtocol === "h2") {
        this.#addSession(serveHttp2(socket, connection));
        return;
      }
      serveConnection.call(server, socket);
    });
  }

  #addSession(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.on("close", () => this.#sessions.delete(session));
    if (this.#service.stopping) session.close();
  }

  #serveHttp1(): void {
    const server = this.#server;
    // Headers are limited by size: beyond a count, Node would silently drop them.
    server.maxHeadersCount = 0;
    for (const event of ["request", "checkContinue"] as const) {
      server.on(event, (request: IncomingMessage, response: ServerResponse) => {
        this.#responses.set(request.socket, response);
        const connection = this.#connections.get(request.socket);
        if (connection !== undefined) serveMessage(connection, request, response);
      });
    }
    server.on("upgrade", (request, socket, head) => {
      const connection = this.#connections.get(request.socket);
      if (connection !== undefined) serveUpgrade(connection, request, { socket, head });
    });
    server.on("clientError", (error, socket) => {
      answerParserFault(error, socket, this.#responses.get(socket));
    });
  }

  #reportFailedHandshakes(server: Server, metrics: Metrics): void {
    const failed = metrics.counter(tlsHandshakeErrors).of();
    server.on("tlsClientError", (error, { remoteAddress: remote }) => {
      failed.add(1);
      this.#service.log.debug("tls handshake failed", { remote, reason: error.message });
    });
  }

  async #close(deadline: number): Promise<void> {
    const { active } = this.#service;
    this.#service.stopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const exchange of active.values()) exchange.endStream();
    for (const session of this.#sessions) session.close();
    this.#server.closeIdleConnections();
    const unread = setTimeout(() => {
      for (const exchange of active.values()) if (exchange.isStream) exchange.cutOff();
      setImmediate(() => {
        for (const [socket, { open }] of this.#connections) if (open === 0) socket.destroy();
      });
    }, this.#service.limits.unreadTimeout);
    const timer = setTimeout(() => {
      for (const exchange of active.values()) exchange.cutOff();
      // Clients receive the reset of their requests before their connections close.
      setImmediate(() => {
        for (const session of this.#sessions) session.destroy();
        for (const socket of this.#sockets) socket.destroy();
      });
    }, deadline);
    await closed;
    clearTimeout(unread);
    clearTimeout(timer);
  }
}

type HttpServer = ReturnType<typeof createPlainServer> | Server;

function plainServer(limits: Limits): HttpServer {
  const { keepAliveDelay: keepAliveInitialDelay } = limits;
  return createPlainServer({
    ...http1Options(limits),
    ...{ noDelay: true, keepAlive: true, keepAliveInitialDelay },
  });
}

/** As long as a request may take. */
const defaultDeadline = 60_000;
