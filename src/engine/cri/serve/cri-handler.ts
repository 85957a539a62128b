import type { Sent } from "../../../base/protobuf-message.ts";
import { RuntimeError } from "../../../cri/runtime-service.ts";
import { errorNumbers } from "../../../cri/wire/error-codes.ts";
import type { WireMethod } from "../../../cri/wire/messages/method.ts";
import { GrpcError, grpcCodes } from "../../../platform/grpc/grpc-error.ts";
import {
  type GrpcCall,
  type GrpcHandler,
  streamHandler,
  unaryHandler,
} from "../../../platform/grpc/grpc-server.ts";

/** The handler of a method with one response. */
export const handle = <I, O>(
  method: WireMethod<I, O>,
  answer: (request: I, call: GrpcCall) => Promise<Sent<O>>,
): GrpcHandler =>
  unaryHandler(method, (request, call) => answer(request, call).catch(throwGrpcError));

/** The handler of a method with any number of responses. */
export const handleStream = <I, O>(
  method: WireMethod<I, O>,
  answer: (request: I, signal: AbortSignal) => AsyncIterable<Sent<O>>,
): GrpcHandler =>
  streamHandler(method, async (requests, { send, signal }) => {
    for await (const request of requests) {
      try {
        for await (const response of answer(request, signal)) await send(response);
      } catch (error) {
        throwGrpcError(error);
      }
      return;
    }
    throw new GrpcError(grpcCodes.internal, "the request is missing");
  });

/** The handler of a method that streams a list, so that no message is too large. */
export const handleList = <I, O, T>(
  method: WireMethod<I, O>,
  list: (request: I) => Promise<readonly T[]>,
  response: (items: readonly T[]) => Sent<O>,
): GrpcHandler =>
  handleStream(method, async function* (request) {
    const items = await list(request);
    for (let i = 0; i < items.length; i += batchSize) yield response(items.slice(i, i + batchSize));
  });

const batchSize = 100;

/** Throws an error with its code; messages that name their code lose that part, which clients add again. */
function throwGrpcError(error: unknown): never {
  if (!(error instanceof RuntimeError)) throw error;
  const message = error.message.replace(/^rpc error: code = \w+ desc = /, "");
  throw new GrpcError(errorNumbers[error.code], message, { cause: error });
}
