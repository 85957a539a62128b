import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Connection } from "./http-exchange.ts";
import { serveStream } from "./http2-exchange.ts";
import type { Limits } from "./limits.ts";

/** Serves HTTP/2 on a connection whose TLS handshake is done. */
export function serveHttp2(socket: TLSSocket, connection: Connection): ServerHttp2Session {
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
  // The types lack the last argument.
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
 * Ends a session that does not answer a ping. A session that failed in nghttp2 no longer reads, so it would
 * not notice that its client has gone; a client with a quiet watch answers.
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
  const keep = (): void => clearTimeout(timer);
  session.once("close", keep);
  session.ping((error) => {
    if (error) return;
    keep();
    session.off("close", keep);
    session.setTimeout(idleTimeout);
  });
}
