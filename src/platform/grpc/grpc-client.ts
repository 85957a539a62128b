import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import type { SecureContextOptions } from "node:tls";
import { errorMessage } from "../../base/error-message.ts";
import type { Sent } from "../../base/protobuf-message.ts";
import { GrpcError, grpcCodes } from "./grpc-error.ts";
import { GrpcFrames, grpcFrame } from "./grpc-frames.ts";
import type { GrpcMethod } from "./grpc-method.ts";

export interface GrpcClientOptions {
  /** `HOST:PORT` */
  readonly address: string;
  /** Not given: without TLS. */
  readonly tls?: SecureContextOptions | undefined;
  /** The largest message that is taken. */
  readonly maxMessageBytes?: number | undefined;
  /** A connection that says nothing for so long is asked whether it still is, and given up. */
  readonly pingMs?: number | undefined;
}

/** What is said beside a request: gRPC's metadata, by lower-case names. */
export type GrpcMetadata = Readonly<Record<string, string>>;

export interface GrpcCallOptions {
  readonly metadata?: GrpcMetadata | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Told of what comes in a stream; of its end once, with an error where it did not end well. */
export interface GrpcReceiver<O> {
  message(message: O): void;
  end(error: GrpcError | undefined): void;
}

/** A stream that goes both ways. */
export interface GrpcStream<I> {
  send(message: Sent<I>): void;
  /** Says that nothing more is sent. */
  finish(): void;
  /** Ends it at once; its receiver is told of nothing any more. */
  cancel(): void;
}

/** Calls one server; its connection is made when it is needed, and again after it broke. */
export interface GrpcClient {
  readonly address: string;
  unary<I, O>(method: GrpcMethod<I, O>, request: Sent<I>, options?: GrpcCallOptions): Promise<O>;
  stream<I, O>(
    method: GrpcMethod<I, O>,
    receiver: GrpcReceiver<O>,
    options?: Pick<GrpcCallOptions, "metadata">,
  ): GrpcStream<I>;
  close(): void;
}

/** A client of a server; nothing is connected yet. */
export function createGrpcClient(options: GrpcClientOptions): GrpcClient {
  const { address, tls, maxMessageBytes = 2 ** 31 - 1, pingMs = 10_000 } = options;
  let session: ClientHttp2Session | undefined;
  let isClosed = false;

  const connected = (): ClientHttp2Session => {
    if (isClosed) throw new GrpcError(grpcCodes.cancelled, "the client is closed", notSent);
    if (session && !session.closed && !session.destroyed) return session;
    const made = connect(`${tls ? "https" : "http"}://${address}`, {
      ...tls,
      settings: { enablePush: false, initialWindowSize: window },
    });
    made.on("connect", () => made.setLocalWindowSize(window));
    keepAlive(made, pingMs);
    const forget = (): void => {
      if (session === made) session = undefined;
    };
    made.on("error", forget).on("goaway", forget).on("close", forget);
    session = made;
    return made;
  };
  const open = (path: string, { metadata, timeoutMs }: GrpcCallOptions): ClientHttp2Stream => {
    const headers = {
      ...metadata,
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": "wherry",
      ...(timeoutMs !== undefined && { "grpc-timeout": `${Math.max(1, Math.ceil(timeoutMs))}m` }),
    };
    try {
      return connected().request(headers);
    } catch (error) {
      if (error instanceof GrpcError) throw error;
      throw new GrpcError(grpcCodes.unavailable, errorMessage(error), { ...notSent, cause: error });
    }
  };

  return {
    address,
    unary: ({ path, request, response }, value, options = {}) =>
      new Promise((resolve, reject) => {
        const { signal, timeoutMs } = options;
        signal?.throwIfAborted();
        const stream = open(path, options);
        let answer: Uint8Array | undefined;
        const onAbort = (): void => stream.close(constants.NGHTTP2_CANCEL);
        signal?.addEventListener("abort", onAbort, { once: true });
        const timer =
          timeoutMs === undefined
            ? undefined
            : setTimeout(() => {
                stream.close(constants.NGHTTP2_CANCEL);
                ended(new GrpcError(grpcCodes.deadlineExceeded, "context deadline exceeded"));
              }, timeoutMs);
        const ended = (error: GrpcError | undefined): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          if (signal?.aborted) reject(signal.reason);
          else if (error) reject(error);
          else if (answer) resolve(response.decode(answer));
          else reject(new GrpcError(grpcCodes.internal, "the server answered nothing"));
        };
        receive(stream, maxMessageBytes, {
          message: (bytes) => {
            answer = bytes;
          },
          end: ended,
        });
        stream.end(grpcFrame(request.encode(value)));
      }),
    stream({ path, request, response }, receiver, options = {}) {
      const stream = open(path, options);
      let isOver = false;
      receive(stream, maxMessageBytes, {
        message: (bytes) => {
          if (!isOver) receiver.message(response.decode(bytes));
        },
        end(error) {
          if (!isOver) receiver.end(error);
          isOver = true;
        },
      });
      return {
        send: (value) => void (isOver || stream.write(grpcFrame(request.encode(value)))),
        finish: () => void stream.end(),
        cancel() {
          isOver = true;
          stream.close(constants.NGHTTP2_CANCEL);
        },
      };
    },
    close() {
      isClosed = true;
      session?.destroy();
    },
  };
}

const notSent = { wasNotSent: true } as const;
/** What may be under way to us before we have read it. */
const window = 4 * 1024 * 1024;

/** Gives up a connection on which nobody answers, so that its calls end. */
function keepAlive(session: ClientHttp2Session, pingMs: number): void {
  const timer = setInterval(() => {
    let isAnswered = false;
    const given = setTimeout(() => {
      if (!isAnswered) session.destroy(new Error("the server does not answer pings"));
    }, pingMs);
    given.unref();
    if (session.destroyed) return;
    session.ping(() => {
      isAnswered = true;
      clearTimeout(given);
    });
  }, pingMs);
  timer.unref();
  session.on("close", () => clearInterval(timer));
}

/** Reads messages from a stream, and how it ended. */
function receive(stream: ClientHttp2Stream, most: number, receiver: GrpcReceiver<Uint8Array>) {
  const frames = new GrpcFrames(most);
  let outcome: GrpcError | "ok" | undefined;
  let failure: Error | undefined;
  let isOver = false;
  const settle = (headers: IncomingHttpHeaders): void => {
    const status = headers["grpc-status"];
    if (status === undefined) return;
    outcome = status === "0" ? "ok" : statusError(Number(status), headers);
  };
  stream.on("response", (headers) => {
    settle(headers);
    if (outcome === undefined && headers[":status"] !== 200)
      outcome = new GrpcError(
        grpcCodes.unavailable,
        `the server answered with HTTP status ${headers[":status"]}`,
      );
  });
  stream.on("trailers", settle);
  stream.on("data", (piece: Uint8Array) => {
    try {
      for (const message of frames.add(piece)) receiver.message(message);
    } catch (error) {
      outcome = error instanceof GrpcError ? error : broken(error);
      stream.close(constants.NGHTTP2_CANCEL);
    }
  });
  stream.on("error", (error) => {
    failure = error;
  });
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    if (outcome === "ok") receiver.end(undefined);
    else receiver.end(outcome ?? lost(stream, failure));
  };
  // A server may have said how it ended before it has read all that it was sent.
  stream.on("end", () => {
    if (outcome === undefined) return;
    finish();
    stream.close(constants.NGHTTP2_CANCEL);
  });
  stream.on("close", finish);
}

const broken = (cause: unknown): GrpcError =>
  new GrpcError(grpcCodes.internal, `a message could not be read: ${errorMessage(cause)}`, {
    cause,
  });

/** A stream that ended without saying how: the connection broke, or could not be made. */
function lost(stream: ClientHttp2Stream, failure: Error | undefined): GrpcError {
  // A stream has a number from the moment in which it is on its way.
  const wasNotSent = stream.id === undefined || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
  const why = failure?.cause ?? failure;
  const message = why ? errorMessage(why) : "the connection was lost";
  return new GrpcError(grpcCodes.unavailable, message, { wasNotSent, cause: failure });
}

function statusError(code: number, headers: IncomingHttpHeaders): GrpcError {
  const text = String(headers["grpc-message"] ?? "");
  try {
    return new GrpcError(code, decodeURIComponent(text));
  } catch {
    return new GrpcError(code, text);
  }
}
