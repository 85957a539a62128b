import type { ServerHttp2Session } from "node:http2";
import { listenUnix } from "../listen-unix.ts";
import { createGrpcServer, type GrpcHandler } from "./grpc-server.ts";

/** Serves methods at a socket of this machine. Closing ends all connections. */
export async function serveGrpcSocket(
  path: string,
  handlers: readonly GrpcHandler[],
): Promise<{ close(): Promise<void> }> {
  const server = createGrpcServer({ handlers, maxMessageBytes });
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  await listenUnix(server, path);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

const maxMessageBytes = 4 * 1024 * 1024;
