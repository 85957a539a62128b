import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface TextServerOptions {
  readonly port: number;
  /** The address to listen on; loopback if not given. */
  readonly address?: string | undefined;
  /** The plain-text response to a GET. */
  readonly answer: (
    path: string,
    query: URLSearchParams,
  ) => { readonly status: number; readonly text: string };
}

/** A small read-only HTTP server. */
export interface TextServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves GET and HEAD over HTTP, for probes and the like. */
export function textServer(options: TextServerOptions): Promise<TextServer> {
  const { port, address = "127.0.0.1", answer } = options;
  const server = createServer({ maxHeaderSize: 16 << 10 }, (request, response) => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.setHeader("x-content-type-options", "nosniff");
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405).end("Method Not Allowed\n");
      return;
    }
    const [path = "", ...query] = (request.url ?? "").split("?");
    const { status, text } = answer(path, new URLSearchParams(query.join("?")));
    response.writeHead(status).end(text);
  });
  server.requestTimeout = 10_000;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}
