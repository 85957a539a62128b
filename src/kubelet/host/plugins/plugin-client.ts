import { type Clock, sleep, ticksOf } from "../../../base/clock.ts";
import type { Message, Sent } from "../../../base/protobuf-message.ts";
import type { RuntimeErrorCode } from "../../../cri/runtime-service.ts";
import { errorCodeOf } from "../../../cri/wire/error-codes.ts";
import {
  createGrpcClient,
  type GrpcCallOptions,
  type GrpcClientOptions,
  type GrpcReceiver,
} from "../../../platform/grpc/grpc-client.ts";
import { GrpcError } from "../../../platform/grpc/grpc-error.ts";
import type { GrpcMethod } from "../../../platform/grpc/grpc-method.ts";

type CallOptions = Pick<GrpcCallOptions, "signal" | "timeoutMs">;

/** Calls a plugin at its socket. Errors have the words of Go's client. */
export interface PluginClient {
  call<I, O>(method: GrpcMethod<I, O>, request: Sent<I>, options?: CallOptions): Promise<O>;
  /** Calls a method with one request and many responses; returns how to cancel the call. */
  follow<I, O>(method: GrpcMethod<I, O>, request: Sent<I>, receiver: GrpcReceiver<O>): () => void;
  /** Connects, unless it is connected. */
  connect(): void;
  close(): void;
}

/** Creates the client of a plugin, without connecting. */
export function pluginClient(
  socket: string,
  listeners: Pick<GrpcClientOptions, "greeted" | "ended"> = {},
): PluginClient {
  // A socket of this machine tells at once when the other side ends: there is no need for pings.
  const address = `unix://${socket}`;
  const client = createGrpcClient({ address, pingMs: longestTimerMs, ...listeners });
  return {
    connect: () => client.connect(),
    call: (method, request, options) => client.unary(method, request, options).catch(throwAsGo),
    follow(method, request, receiver) {
      const stream = client.stream(method, receiver);
      stream.send(request);
      stream.finish();
      return () => stream.cancel();
    },
    close: () => client.close(),
  };
}

const longestTimerMs = 2 ** 31 - 1;

/** Makes the first call of a plugin. One that does not listen yet is called again for ten seconds. */
export async function firstCall<O>(
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
  call: () => Promise<O>,
): Promise<O> {
  const ticks = ticksOf(clock);
  const deadline = ticks() + dialMs;
  for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
    try {
      return await call();
    } catch (error) {
      if (!isUnconnected(error)) throw error;
      if (ticks() + wait > deadline)
        throw new NotConnected("context deadline exceeded", { cause: error });
    }
    await sleep(clock, wait, signal);
  }
}

const dialMs = 10_000;

/** Nobody listened at the socket of a plugin. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";
}

/** A call that failed. */
export class PluginError extends Error {
  override readonly name = "PluginError";
  readonly code: RuntimeErrorCode;
  readonly wasNotSent: boolean;

  // The gRPC error is not its cause: messages of causes are appended, and it says the same.
  constructor({ code, message, wasNotSent }: GrpcError) {
    super(`rpc error: code = ${errorCodeOf(code)} desc = ${message}`);
    this.code = errorCodeOf(code);
    this.wasNotSent = wasNotSent;
  }
}

const isUnconnected = (error: unknown): boolean => error instanceof PluginError && error.wasNotSent;

function throwAsGo(error: unknown): never {
  throw error instanceof GrpcError ? new PluginError(error) : error;
}

/** Declares the methods of a service. */
export const serviceMethods =
  (service: string) =>
  <I, O>(name: string, request: Message<I>, response: Message<O>): GrpcMethod<I, O> => ({
    path: `/${service}/${name}`,
    request,
    response,
  });
