import type { ImageService } from "../../../cri/image-service.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { createGrpcServer } from "../../../platform/grpc/grpc-server.ts";
import { listenUnix } from "../../../platform/listen-unix.ts";
import { containerHandlers } from "./container-handlers.ts";
import { eventHandler } from "./event-handler.ts";
import { imageHandlers } from "./image-handlers.ts";
import { runtimeHandlers } from "./runtime-handlers.ts";
import { sandboxHandlers } from "./sandbox-handlers.ts";
import { type StreamAddresses, streamHandlers } from "./stream-handlers.ts";

export interface CriServerOptions {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** `unix://PATH`. Only the owner of the socket may connect. */
  readonly listen: string;
  readonly streams: StreamAddresses;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
}

export interface CriServer {
  /** Disconnects all clients, and removes the socket. */
  close(): Promise<void>;
}

/** Serves a runtime over gRPC, to kubelets and other clients of CRI v1. */
export async function serveCri({
  runtime,
  images,
  listen,
  streams,
  now,
}: CriServerOptions): Promise<CriServer> {
  const path = /^unix:\/\/(\/.+)$/.exec(listen)?.[1];
  if (path === undefined) throw new Error(`cannot listen at ${listen}: unix://PATH is needed`);
  const server = createGrpcServer({
    handlers: [
      ...runtimeHandlers(runtime),
      ...sandboxHandlers(runtime, now),
      ...containerHandlers(runtime),
      ...streamHandlers(runtime, streams),
      eventHandler(runtime),
      ...imageHandlers(images),
    ],
    maxMessageBytes: 16 * 1024 * 1024,
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  await listenUnix(server, path);
  let closing: Promise<void> | undefined;
  return {
    close() {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      });
      return closing;
    },
  };
}
