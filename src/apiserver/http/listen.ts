import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket, TlsOptions } from "node:tls";
import type { Log } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import { tlsHandshakeErrors } from "../metrics/server-metrics.ts";
import type { Handler } from "../request/request.ts";
import type { Connection, Service } from "./http-exchange.ts";
import { serveMessage, serveUpgrade } from "./http1-exchange.ts";
import { answerParserFault } from "./http1-faults.ts";
import { serveStream } from "./http2-exchange.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { readPeer } from "./peer.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly tls: ServingTls;
  /** Whether HTTP/2 is spoken beside HTTP/1.1; true when absent. */
  readonly http2?: boolean;
  /** Whether an HTTP/2 client is told, with the answer to a request, to connect anew; asked each time. */
  readonly goaway?: () => boolean;
  readonly handler: Handler;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** Where handshakes are counted that fail; nowhere when absent. */
  readonly metrics?: Metrics;
  /** The machine's time when absent. */
  readonly now?: () => number;
}

/** What is served with; certificates are PEM, and `ca` is what those of clients are verified against. */
export type ServingTls = Pick<
  TlsOptions,
  "cert" | "key" | "ca" | "minVersion" | "ciphers" | "ecdhCurve" | "SNICallback"
>;

export interface Listener {
  readonly port: number;
  /** Serves new connections with other certificates. */
  renew(tls: ServingTls): void;
  /** Stops accepting, ends streams, and waits for running requests, but not longer than `deadline` milliseconds. */
  close(deadline?: number): Promise<void>;
}

/** Serves the API over TLS, by HTTP/2 and HTTP/1.1 on one port. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const limits = { ...defaultLimits, ...options.limits };
  const { handler, log, now = Date.now, goaway } = options;
  const service: Service = {
    handler,
    limits,
    log,
    now,
    goaway,
    active: new Set(),
    stopping: false,
  };
  const sessions = new Set<ServerHttp2Session>();
  const connections = new WeakMap<object, Connection>();
  const sockets = new Set<Socket>();
  let { tls } = options;
  const server = createServer({
    ...tlsOptions(limits),
    ...http1Options(limits),
    ...(options.http2 === false && { ALPNProtocols: ["http/1.1"] }),
    ...options.tls,
    SNICallback: (name, done) => {
      if (tls.SNICallback) tls.SNICallback(name, done);
      else done(null);
    },
  });

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  // The server would speak HTTP/1.1 on every connection: hand it only those that want it.
  const [speakHttp1] = server.listeners("secureConnection");
  if (speakHttp1 === undefined) throw new Error("this version of Node has no HTTP/1.1 listener");
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket: TLSSocket) => {
    const { remoteAddress = "" } = socket;
    const connection = { service, identity: readPeer(socket), remoteAddress, open: 0 };
    if (socket.alpnProtocol !== "h2") {
      connections.set(socket, connection);
      speakHttp1.call(server, socket);
      return;
    }
    const session = speakHttp2(socket, connection);
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    if (service.stopping) session.close();
  });
  const responses = new WeakMap<object, ServerResponse>();
  server.on("clientError", (error, socket) => {
    answerParserFault(error, socket, responses.get(socket));
  });
  // Headers are limited by their size: what is beyond a count would be dropped, whatever it says.
  server.maxHeadersCount = 0;
  for (const event of ["request", "checkContinue"] as const) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      responses.set(request.socket, response);
      const connection = connections.get(request.socket);
      if (connection !== undefined) serveMessage(connection, request, response);
    });
  }
  server.on("upgrade", (request, socket, head) => {
    const connection = connections.get(request.socket);
    if (connection !== undefined) serveUpgrade(connection, request, { socket, head });
  });
  const handshakeErrors = (options.metrics ?? noMetrics).counter(tlsHandshakeErrors).of();
  server.on("tlsClientError", (error, socket) => {
    handshakeErrors.add(1);
    log.debug("tls handshake failed", { remote: socket.remoteAddress, reason: error.message });
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, options.host, () => {
      server.off("error", reject);
      server.on("error", (error) => log.error("cannot accept connections", error));
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;

  async function close(deadline = defaultDeadline): Promise<void> {
    service.stopping = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const exchange of service.active) exchange.wind();
    for (const session of sessions) session.close();
    server.closeIdleConnections();
    const timer = setTimeout(() => {
      for (const exchange of service.active) exchange.cutOff();
      // Clients are told before their connections go.
      setImmediate(() => {
        for (const session of sessions) session.destroy();
        for (const socket of sockets) socket.destroy();
      });
    }, deadline);
    await closed;
    clearTimeout(timer);
  }
  let closing: Promise<void> | undefined;
  return {
    port,
    renew(renewed) {
      tls = renewed;
      server.setSecureContext({ ...tlsOptions(limits), ...renewed });
    },
    close: (deadline) => {
      closing ??= close(deadline);
      return closing;
    },
  };
}

/** As long as a request may take. */
const defaultDeadline = 60_000;

function tlsOptions(limits: Limits): ServerOptions {
  return {
    ALPNProtocols: ["h2", "http/1.1"],
    minVersion: "TLSv1.2",
    requestCert: true,
    // A client without a certificate, or with a stranger's, may still show a token.
    rejectUnauthorized: false,
    handshakeTimeout: limits.headersTimeout,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: limits.keepAliveDelay,
  };
}

function http1Options(limits: Limits): ServerOptions {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.headersTimeout + limits.bodyTimeout,
    keepAliveTimeout: limits.idleTimeout,
    // Told by ourselves, in Go's words.
    requireHostHeader: false,
  };
}

function speakHttp2(socket: TLSSocket, connection: Connection): ServerHttp2Session {
  const { limits, log } = connection.service;
  const session = performServerHandshake(socket, {
    maxHeaderListPairs: 2000,
    maxSessionMemory: limits.connectionMegabytes,
    settings: {
      initialWindowSize: limits.streamWindow,
      maxConcurrentStreams: limits.streamsPerConnection,
      maxHeaderListSize: limits.headerBytes,
    },
  });
  session.setLocalWindowSize(limits.connectionWindow);
  // The types do not know of the last argument.
  type OnStream = [ServerHttp2Stream, IncomingHttpHeaders, flags: number, rawHeaders: string[]];
  session.on("stream", (...[stream, headers, , rawHeaders]: OnStream) =>
    serveStream(connection, stream, { headers, rawHeaders }),
  );
  session.on("error", (error: Error) => {
    log.debug("http/2 connection failed", {
      remote: connection.remoteAddress,
      reason: error.message,
    });
  });
  session.setTimeout(limits.idleTimeout);
  session.on("timeout", () => {
    if (connection.open === 0) session.close();
    else if (!session.destroyed) endUnlessAnswered(session, socket, limits);
  });
  return session;
}

/**
 * Ends a session that gives no sign of life. One that has failed in nghttp2 reads no more, so it would
 * not even see its client leave; whoever watches in silence answers this.
 */
function endUnlessAnswered(
  session: ServerHttp2Session,
  socket: TLSSocket,
  { stallTimeout, idleTimeout }: Limits,
): void {
  const timer = setTimeout(() => {
    session.destroy();
    socket.destroy();
  }, stallTimeout);
  const calm = (): void => clearTimeout(timer);
  session.once("close", calm);
  session.ping((error) => {
    if (error) return;
    calm();
    session.off("close", calm);
    session.setTimeout(idleTimeout);
  });
}
