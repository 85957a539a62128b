import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { byteStream } from "../../platform/byte-stream.ts";
import { type KubeletHandler, textResponse } from "../api/kubelet-request.ts";
import { serveConnection } from "../api/serve-connection.ts";

export interface KubeletServerOptions {
  readonly port: number;
  /** The listen address; by default loopback only. */
  readonly address?: string | undefined;
  /** The kubelet's own certificate and its key, in PEM. */
  readonly cert: string;
  readonly key: string;
  /** The CA certificates of callers, in PEM. */
  readonly clientCa: string;
  /** The callers that are allowed, by the common names of their certificates: the API server. */
  readonly callers: readonly string[];
  readonly handle: KubeletHandler;
}

/** A kubelet's API on a socket. */
export interface KubeletServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves a kubelet's API over HTTPS, only to callers with an allowed client certificate.
 */
export function serveKubelet(options: KubeletServerOptions): Promise<KubeletServer> {
  const { port, address = "127.0.0.1", cert, key, clientCa, handle } = options;
  const sockets = new Set<TLSSocket>();
  const server = createServer(
    {
      cert,
      key,
      ca: clientCa,
      requestCert: true,
      // A client without a certificate gets an HTTP response.
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
      minVersion: "TLSv1.2",
    },
    (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      void serveConnection(byteStream(socket), guarded(socket, options.callers, handle));
    },
  );
  server.on("tlsClientError", (_, socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}

/** Serves allowed callers only. */
function guarded(
  socket: TLSSocket,
  callers: readonly string[],
  handle: KubeletHandler,
): KubeletHandler {
  const name = socket.authorized ? socket.getPeerCertificate().subject?.CN : undefined;
  if (name === undefined) return async () => textResponse(401, "Unauthorized");
  if (callers.includes(String(name))) return handle;
  return async ({ method }) =>
    textResponse(
      403,
      `Forbidden (user=${name}, verb=${verbOf(method)}, resource=nodes, subresource=proxy)`,
    );
}

const verbOf = (method: string): string =>
  ({ GET: "get", HEAD: "get", POST: "create", PUT: "update", DELETE: "delete" })[method] ?? "";
