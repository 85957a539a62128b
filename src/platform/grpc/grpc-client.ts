import { STATUS_CODES } from "node:http";
import type { SecureContextOptions } from "node:tls";
import { errorMessage } from "../../base/error-message.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Sent } from "../../base/protobuf-message.ts";
import type { Dial } from "../dial-socket.ts";
import { GrpcError, grpcCodes } from "./grpc-error.ts";
import { GrpcFrames, grpcFrame } from "./grpc-frames.ts";
import type { GrpcMethod } from "./grpc-method.ts";
import type { HeaderField } from "./hpack-decoder.ts";
import {
  Http2Connection,
  type Http2Fault,
  type Http2Receiver,
  type Http2Stream,
} from "./http2-connection.ts";

export interface GrpcClientOptions {
  /** `HOST:PORT`, or `unix://PATH` */
  readonly address: string;
  /** Not given: without TLS. */
  readonly tls?: SecureContextOptions | undefined;
  /** Opens the connection below TLS, other than to a socket of this machine; directly if not given. */
  readonly dial?: Dial | undefined;
  /** The largest message that is accepted. */
  readonly maxMessageBytes?: number | undefined;
  /** After so many milliseconds of silence a ping is sent; the connection is closed if it is not answered. */
  readonly pingMs?: number | undefined;
  readonly userAgent?: string | undefined;
  /** Called for each connection once the server is known to speak HTTP/2. */
  readonly greeted?: (() => void) | undefined;
  /** Called for each connection once it has ended, or could not be opened. */
  readonly ended?: (() => void) | undefined;
}

/** gRPC metadata of a request, by lower-case names. */
export type GrpcMetadata = Readonly<Record<string, string>>;

export interface GrpcCallOptions {
  readonly metadata?: GrpcMetadata | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Receives the messages of a stream, then its end, once; with an error unless the call succeeded. */
export interface GrpcReceiver<O> {
  message(message: O): void;
  end(error: GrpcError | undefined): void;
}

/** A bidirectional stream. */
export interface GrpcStream<I> {
  send(message: Sent<I>): void;
  /** Ends the sending direction. */
  finish(): void;
  /** Cancels the stream; its receiver is not called any more. */
  cancel(): void;
}

/** Calls one server; it connects when needed, and again after the connection broke. */
export interface GrpcClient {
  readonly address: string;
  unary<I, O>(method: GrpcMethod<I, O>, request: Sent<I>, options?: GrpcCallOptions): Promise<O>;
  stream<I, O>(
    method: GrpcMethod<I, O>,
    receiver: GrpcReceiver<O>,
    options?: Pick<GrpcCallOptions, "metadata">,
  ): GrpcStream<I>;
  /** Connects, unless it is connected. */
  connect(): void;
  close(): void;
}

/** Creates a client of a server, without connecting. */
export function createGrpcClient(options: GrpcClientOptions): GrpcClient {
  const { address, tls, dial, maxMessageBytes = 2 ** 31 - 1, pingMs = 10_000 } = options;
  const { greeted, ended } = options;
  const { userAgent = "wherry" } = options;
  let connection: Http2Connection | undefined;
  let isClosed = false;

  const connected = (): Http2Connection => {
    if (connection?.isUsable) return connection;
    connection = new Http2Connection({ address, tls, dial, pingMs, greeted, ended });
    return connection;
  };
  const open = (
    path: string,
    { metadata = {}, timeoutMs }: GrpcCallOptions,
    receiver: GrpcReceiver<Uint8Array>,
  ): Http2Stream => {
    if (isClosed) throw new GrpcError(grpcCodes.cancelled, "the client is closed", notSent);
    const usable = connected();
    const fields: HeaderField[] = [
      ...constantFields,
      ["user-agent", userAgent],
      ...Object.entries(metadata),
    ];
    if (timeoutMs !== undefined)
      fields.push(["grpc-timeout", `${Math.max(1, Math.ceil(timeoutMs))}m`]);
    // The stream may end before this assignment.
    const stream: Http2Stream = usable.request(
      path,
      fields,
      receiving(maxMessageBytes, receiver, () => stream.cancel()),
    );
    return stream;
  };

  return {
    address,
    unary: ({ path, request, response }, value, options = {}) =>
      new Promise((resolve, reject) => {
        const { signal, timeoutMs } = options;
        signal?.throwIfAborted();
        let answer: Uint8Array | undefined;
        const ended = (error: GrpcError | undefined): void => {
          clearTimeout(timer);
          unfollow();
          if (signal?.aborted) reject(signal.reason);
          else if (error) reject(error);
          else if (answer) resolve(response.decode(answer));
          else reject(new GrpcError(grpcCodes.internal, "the server answered nothing"));
        };
        const stream = open(path, options, {
          message: (bytes) => {
            answer = bytes;
          },
          end: ended,
        });
        const unfollow = onAbort(signal, () => {
          stream.cancel();
          ended(undefined);
        });
        const timer =
          timeoutMs === undefined
            ? undefined
            : setTimeout(() => {
                stream.cancel();
                ended(deadlineExceeded(!stream.wasSent));
              }, timeoutMs);
        stream.write(grpcFrame(request.encode(value)), true);
      }),
    stream({ path, request, response }, receiver, options = {}) {
      let isOver = false;
      const stream = open(path, options, {
        message: (bytes) => {
          if (!isOver) receiver.message(response.decode(bytes));
        },
        end(error) {
          if (!isOver) receiver.end(error);
          isOver = true;
        },
      });
      return {
        send: (value) => void (isOver || stream.write(grpcFrame(request.encode(value)), false)),
        finish: () => stream.finish(),
        cancel() {
          isOver = true;
          stream.cancel();
        },
      };
    },
    connect: () => void (isClosed || connected()),
    close() {
      isClosed = true;
      connection?.destroy();
    },
  };
}

const notSent = { wasNotSent: true } as const;
const constantFields: readonly HeaderField[] = [
  ["content-type", "application/grpc"],
  ["te", "trailers"],
];

const deadlineExceeded = (wasNotSent: boolean): GrpcError =>
  new GrpcError(grpcCodes.deadlineExceeded, "context deadline exceeded", { wasNotSent });

/** Reads messages and the final status from a stream; `cancel` ends a stream whose messages cannot be read. */
function receiving(
  most: number,
  receiver: GrpcReceiver<Uint8Array>,
  cancel: () => void,
): Http2Receiver {
  const frames = new GrpcFrames(most);
  let outcome: GrpcError | "ok" | undefined;
  return {
    headers(fields) {
      const status = fieldOf(fields, "grpc-status");
      if (status !== undefined) {
        outcome = status === "0" ? "ok" : statusError(Number(status), fields);
        return;
      }
      const http = fieldOf(fields, ":status");
      if (http !== undefined) outcome ??= httpError(http, fieldOf(fields, "content-type"));
    },
    data(bytes) {
      if (outcome !== undefined) return;
      try {
        for (const message of frames.add(bytes)) receiver.message(message);
      } catch (error) {
        cancel();
        receiver.end(error instanceof GrpcError ? error : broken(error));
      }
    },
    end(fault) {
      if (outcome === "ok") receiver.end(undefined);
      else receiver.end(outcome ?? lost(fault));
    },
  };
}

/** The error of a response that is not one of gRPC, in the words of Go's client; undefined if it is one. */
function httpError(status: string, type: string | undefined): GrpcError | undefined {
  if (/^1/.test(status) || /^application\/grpc(?:[+;]|$)/.test(type ?? "")) return undefined;
  const what = `unexpected HTTP status code received from server: ${status} (${STATUS_CODES[status] ?? ""})`;
  const found =
    type === undefined
      ? "malformed header: missing HTTP content-type"
      : `transport: received unexpected content-type ${JSON.stringify(type)}`;
  return new GrpcError(httpCodes[status] ?? grpcCodes.unknown, `${what}; ${found}`);
}

const httpCodes: Readonly<Record<string, number>> = {
  400: grpcCodes.internal,
  401: grpcCodes.unauthenticated,
  403: grpcCodes.permissionDenied,
  404: grpcCodes.unimplemented,
  429: grpcCodes.unavailable,
  502: grpcCodes.unavailable,
  503: grpcCodes.unavailable,
  504: grpcCodes.unavailable,
};

const fieldOf = (fields: readonly HeaderField[], name: string): string | undefined =>
  fields.find(([other]) => other === name)?.[1];

const broken = (cause: unknown): GrpcError =>
  new GrpcError(grpcCodes.internal, `a message could not be read: ${errorMessage(cause)}`, {
    cause,
  });

/** The error of a stream that ended without a status: the connection broke, or could not be opened. */
function lost(fault: Http2Fault | undefined): GrpcError {
  const { error: cause, wasNotSent = false } = fault ?? {};
  const message = cause ? errorMessage(cause) : "error reading from server: EOF";
  return new GrpcError(grpcCodes.unavailable, message, { wasNotSent, cause });
}

function statusError(code: number, fields: readonly HeaderField[]): GrpcError {
  const text = fieldOf(fields, "grpc-message") ?? "";
  try {
    return new GrpcError(code, decodeURIComponent(text));
  } catch {
    return new GrpcError(code, text);
  }
}
