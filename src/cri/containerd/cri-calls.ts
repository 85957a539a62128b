import type { Sent } from "../../base/protobuf-message.ts";
import type { GrpcCallOptions, GrpcClient } from "../../platform/grpc/grpc-client.ts";
import { GrpcError } from "../../platform/grpc/grpc-error.ts";
import { RuntimeError } from "../runtime-service.ts";
import { errorCodeOf } from "../wire/error-codes.ts";
import type { WireMethod } from "../wire/messages/method.ts";

/** Calls methods of a runtime. */
export interface CriCalls {
  /** The limit of calls that have none of their own. */
  readonly timeoutMs: number;
  call<I, O>(
    method: WireMethod<I, O>,
    request: Sent<I>,
    options?: Pick<GrpcCallOptions, "signal" | "timeoutMs">,
  ): Promise<O>;
  /** The same, where an object that does not exist is as good as done. */
  end<I, O>(
    method: WireMethod<I, O>,
    request: Sent<I>,
    options?: Pick<GrpcCallOptions, "timeoutMs">,
  ): Promise<void>;
}

/** The methods of a runtime over gRPC; errors are those of the contract. */
export function criCalls(client: GrpcClient, timeoutMs: number): CriCalls {
  const call: CriCalls["call"] = (method, request, options) =>
    client.unary(method, request, { timeoutMs, ...options }).catch(throwRuntimeError);
  return {
    timeoutMs,
    call,
    async end(method, request, options) {
      try {
        await call(method, request, options);
      } catch (error) {
        if (!RuntimeError.isNotFound(error)) throw error;
      }
    },
  };
}

/** The timeout of a call that itself waits so many seconds, or forever. */
export const timeoutBeyond = (
  seconds: number,
  { timeoutMs }: CriCalls,
): { readonly timeoutMs: number | undefined } => ({
  timeoutMs: seconds === 0 ? undefined : seconds * 1000 + timeoutMs,
});

/** The error of a call, in the words that clients written in Go have for it. */
function runtimeErrorOf(error: GrpcError): RuntimeError {
  const code = errorCodeOf(error.code);
  return new RuntimeError(code, `rpc error: code = ${code} desc = ${error.message}`, {
    cause: error,
  });
}

function throwRuntimeError(error: unknown): never {
  throw error instanceof GrpcError ? runtimeErrorOf(error) : error;
}
