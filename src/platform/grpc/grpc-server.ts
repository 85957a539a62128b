import { createServer as createHttp1Server, type RequestListener, type Server } from "node:http";
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket, TlsOptions } from "node:tls";
import { errorMessage } from "../../base/error-message.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Sent } from "../../base/protobuf-message.ts";
import { anyAuthority } from "./any-authority.ts";
import { GrpcError, grpcCodes } from "./grpc-error.ts";
import { GrpcFrames, grpcFrame } from "./grpc-frames.ts";
import type { GrpcMethod } from "./grpc-method.ts";
import { whenProtocolIsKnown } from "./when-protocol-is-known.ts";

/** The context of a call. */
export interface GrpcCall {
  /** Aborted when the client has disconnected, or the deadline has passed. */
  readonly signal: AbortSignal;
}

/** The responses of a streaming call; they are buffered until the client reads them. */
export interface GrpcReply<O> extends GrpcCall {
  /** Resolves when there is room for more; rejects once the client has disconnected. */
  send(message: Sent<O>): Promise<void>;
}

/** The handler of a method. */
export interface GrpcHandler {
  readonly path: string;
  answer(messages: AsyncIterable<Uint8Array>, reply: RawReply): Promise<void>;
}

interface RawReply extends GrpcCall {
  send(message: Uint8Array): Promise<void>;
}

/** A unary method: one request, one response. */
export function unaryHandler<I, O>(
  { path, request, response }: GrpcMethod<I, O>,
  answer: (request: I, call: GrpcCall) => Promise<Sent<O>>,
): GrpcHandler {
  return {
    path,
    async answer(messages, reply) {
      for await (const message of messages) {
        await reply.send(response.encode(await answer(decoded(request, message), reply)));
        return;
      }
      throw new GrpcError(grpcCodes.internal, "the request is missing");
    },
  };
}

/** A bidirectional method: requests and responses in any order. */
export function streamHandler<I, O>(
  { path, request, response }: GrpcMethod<I, O>,
  answer: (requests: AsyncIterable<I>, reply: GrpcReply<O>) => Promise<void>,
): GrpcHandler {
  return {
    path,
    answer: (messages, { send, signal }) =>
      answer(requestsOf(request, messages), {
        signal,
        send: (message) => send(response.encode(message)),
      }),
  };
}

function decoded<I>(request: GrpcMethod<I, unknown>["request"], message: Uint8Array): I {
  try {
    return request.decode(message);
  } catch (error) {
    throw new GrpcError(
      grpcCodes.internal,
      `grpc: error unmarshalling request: ${errorMessage(error)}`,
    );
  }
}

async function* requestsOf<I>(
  request: GrpcMethod<I, unknown>["request"],
  messages: AsyncIterable<Uint8Array>,
): AsyncGenerator<I> {
  for await (const message of messages) yield decoded(request, message);
}

export interface GrpcServerOptions {
  readonly handlers: readonly GrpcHandler[];
  /** Not given: without TLS. */
  readonly tls?: TlsOptions | undefined;
  /** The largest message that is accepted. */
  readonly maxMessageBytes: number;
  /** Responds to clients that speak HTTP/1.1 on the same port; by default they are rejected. */
  readonly http1?: RequestListener;
}

/** Creates a server for these methods, without listening. */
export function createGrpcServer({
  handlers,
  tls,
  maxMessageBytes,
  http1,
}: GrpcServerOptions): Http2Server {
  // Many calls share a connection, and responses may be large.
  const memory = { maxSessionMemory: 1024 };
  const server = tls
    ? createSecureServer({ ...tls, ...memory, allowHTTP1: http1 !== undefined })
    : createServer(memory);
  const pages = http1 && pageServer(http1);
  takeAnyAuthority(server as Http2Server, tls ? "secureConnection" : "connection", pages);
  const byPath = new Map(handlers.map((handler) => [handler.path, handler]));
  const unknown = (path: string): GrpcHandler => ({
    path,
    answer: () =>
      Promise.reject(new GrpcError(grpcCodes.unimplemented, unknownText(path, handlers))),
  });
  server.on("stream", (stream, headers) => {
    const path = headers[":path"] ?? "";
    const handler = byPath.get(path) ?? unknown(path);
    void serve(stream, headers, { handler, maxMessageBytes });
  });
  return server as Http2Server;
}

/** A server of HTTP/1.1 that gets its connections from another one. */
function pageServer(answer: RequestListener): Server {
  const server = createHttp1Server({ maxHeaderSize: 16 << 10 }, answer);
  // A server that does not listen checks no other timeout.
  server.timeout = 10_000;
  return server;
}

/** Like Go's servers, ignores the name by which clients address it. Clients of HTTP/1.1 get `pages`, if there are any. */
function takeAnyAuthority(
  server: Http2Server,
  event: "secureConnection" | "connection",
  pages: Server | undefined,
): void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  const take = (socket: Duplex): void => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server.on(event, (socket: Socket & Pick<Partial<TLSSocket>, "alpnProtocol">) => {
    const isSecure = event === "secureConnection";
    if (isSecure && socket.alpnProtocol !== "h2") {
      // Without pages, Node rejects clients that do not speak HTTP/2 over TLS.
      if (pages) pages.emit("connection", socket);
      else take(socket);
    } else if (isSecure || !pages) take(anyAuthority(socket));
    else
      whenProtocolIsKnown(socket, (isHttp2) => {
        if (isHttp2) take(anyAuthority(socket));
        else pages.emit("connection", socket);
      });
  });
}

/** The error for an unknown service or method, in the words of gRPC for Go. */
function unknownText(path: string, handlers: readonly GrpcHandler[]): string {
  const slash = path.lastIndexOf("/");
  const service = path.slice(1, Math.max(1, slash));
  if (slash < 1) return `malformed method name: ${JSON.stringify(path)}`;
  const isKnown = handlers.some((one) => one.path.startsWith(`/${service}/`));
  if (!isKnown) return `unknown service ${service}`;
  return `unknown method ${path.slice(slash + 1)} for service ${service}`;
}

interface Serving {
  readonly handler: GrpcHandler;
  readonly maxMessageBytes: number;
}

async function serve(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { handler, maxMessageBytes }: Serving,
): Promise<void> {
  const ending = new AbortController();
  const timeout = timeoutOf(headers["grpc-timeout"]);
  const timer = timeout === undefined ? undefined : setTimeout(() => ending.abort(late()), timeout);
  stream.on("error", () => undefined);
  stream.on("close", () => {
    clearTimeout(timer);
    ending.abort(new GrpcError(grpcCodes.cancelled, "context canceled"));
  });
  if (!String(headers["content-type"] ?? "").startsWith("application/grpc")) {
    stream.respond({ ":status": 415 }, { endStream: true });
    return;
  }
  let outcome = new GrpcError(grpcCodes.ok, "");
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () =>
    stream.sendTrailers({
      "grpc-status": String(outcome.code),
      ...(outcome.message !== "" && { "grpc-message": percentEncoded(outcome.message) }),
    }),
  );
  try {
    await answered(handler, stream, { signal: ending.signal, maxMessageBytes });
  } catch (error) {
    outcome =
      error instanceof GrpcError ? error : new GrpcError(grpcCodes.unknown, errorMessage(error));
  }
  if (stream.destroyed) return;
  stream.end();
  // Drop the rest of the request: some clients read the response only after they have sent everything.
  stream.resume();
}

async function answered(
  handler: GrpcHandler,
  stream: ServerHttp2Stream,
  { signal, maxMessageBytes }: { readonly signal: AbortSignal; readonly maxMessageBytes: number },
): Promise<void> {
  let unfollow = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    unfollow = onAbort(signal, () => reject(signal.reason));
  });
  aborted.catch(() => undefined);
  const reply: RawReply = {
    signal,
    async send(message) {
      signal.throwIfAborted();
      if (stream.write(grpcFrame(message))) return;
      await Promise.race([new Promise((resolve) => stream.once("drain", resolve)), aborted]);
    },
  };
  try {
    await Promise.race([handler.answer(messagesOf(stream, maxMessageBytes), reply), aborted]);
  } finally {
    unfollow();
  }
}

async function* messagesOf(stream: ServerHttp2Stream, most: number): AsyncGenerator<Uint8Array> {
  const frames = new GrpcFrames(most);
  // A handler that stops reading still has to respond.
  const pieces = stream.iterator({ destroyOnReturn: false });
  for await (const piece of pieces) yield* frames.add(piece as Uint8Array);
}

const late = (): GrpcError =>
  new GrpcError(grpcCodes.deadlineExceeded, "context deadline exceeded");

const units: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** The timeout of a call (`5S`, `100m`) in milliseconds. */
function timeoutOf(header: string | string[] | undefined): number | undefined {
  const [, count, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(String(header ?? "")) ?? [];
  if (count === undefined) return undefined;
  return Math.min(Number(count) * (units[unit] ?? 1), 2 ** 31 - 1);
}

/** Percent-encodes a status message for a header, as gRPC does. */
const percentEncoded = (text: string): string =>
  Array.from(Buffer.from(text), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");
