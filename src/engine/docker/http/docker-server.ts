import { chmod, chown } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { ListenOptions } from "node:net";
import type { Duplex } from "node:stream";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import { listenUnix } from "../../../platform/listen-unix.ts";
import { splitApiVersion } from "./api-version.ts";
import { DockerError, notFound } from "./docker-error.ts";
import type { DockerResponse, DockerRoute } from "./docker-route.ts";
import { hijacked, noInput, upgradeBody } from "./hijack.ts";
import { readJson } from "./read-json.ts";
import { createRouter } from "./router.ts";
import { sendError, sendResponse } from "./send-response.ts";

export interface DockerServerOptions {
  readonly listen: ListenOptions;
  /** The number of the group that may connect to a socket; if absent, only its owner may. */
  readonly group?: number | undefined;
  readonly routes: readonly DockerRoute[];
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly log: Log;
}

export interface DockerServer {
  /** Disconnects all clients and resolves when the server has ended. */
  close(): Promise<void>;
}

/** Serves routes on a socket, or on a TCP address. */
export async function listenDocker(options: DockerServerOptions): Promise<DockerServer> {
  const { listen, log } = options;
  const respond = responder(options);
  const server = createServer((request, response) => {
    void exchange(request, response).catch((error) => {
      log.error("docker request failed", error);
      response.destroy();
    });
  });
  const sockets = new Set<Duplex>();
  server.requestTimeout = 0;
  server.on("connection", (socket: Duplex) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void upgrade(request, socket, head).catch((error) => {
      log.error("docker request failed", error);
      socket.destroy();
    });
  });

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => gone.abort(new Error("the client disconnected")));
    const result = await respond({ request, body: request, signal: gone.signal });
    if (!result.hijack) return sendResponse(response, result, gone.signal);
    const { socket } = request;
    response.detachSocket(socket);
    return hijacked({ request, socket, response: result, input: noInput(socket) });
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    socket.on("close", () => gone.abort(new Error("the client disconnected")));
    socket.on("error", () => socket.destroy());
    const { body, input } = upgradeBody(request, socket, head);
    const result = await respond({ request, body, signal: gone.signal });
    if (result.hijack) return hijacked({ request, socket, response: result, input });
    const response = new ServerResponse(request);
    response.assignSocket(socket as Parameters<typeof response.assignSocket>[0]);
    response.shouldKeepAlive = false;
    await sendResponse(response, result, gone.signal);
    socket.end();
  }

  if (listen.path === undefined)
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(listen, resolve);
    });
  else await listenAtPath(server, listen.path, options.group);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly body: import("node:stream").Readable;
  readonly signal: AbortSignal;
}

/** Resolves with the response of a request; errors are responses too. */
function responder(options: DockerServerOptions): (incoming: Incoming) => Promise<DockerResponse> {
  const find = createRouter(options.routes);
  return async ({ request, body, signal }) => {
    try {
      const url = new URL(request.url ?? "/", "http://docker");
      const { minor, path } = splitApiVersion(url.pathname);
      const match = find(request.method ?? "GET", path);
      if (!match) throw notFound("page not found");
      const response = await match.route.handle({
        params: match.params,
        query: url.searchParams,
        headers: request.headers,
        apiMinor: minor,
        body,
        signal,
        json: () => readJson(body, request.headers["content-type"]),
      });
      return { ...response, headers: { ...options.headers, ...response.headers } };
    } catch (error) {
      if (!(error instanceof DockerError)) options.log.error("docker request failed", error);
      const known = error instanceof DockerError ? error : undefined;
      return sendError(
        known?.status ?? 500,
        known?.message ?? errorMessage(error),
        options.headers,
      );
    }
  };
}

/** Listens at a path for its owner, and for a group if one is given. */
async function listenAtPath(server: Server, path: string, group?: number): Promise<void> {
  await listenUnix(server, path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EADDRINUSE") throw cause;
    throw new Error(`${path} is in use by another process`, { cause });
  });
  if (group === undefined) return;
  await chown(path, -1, group);
  await chmod(path, 0o660);
}
