import { errorMessage } from "../base/error-message.ts";
import { RuntimeError } from "./runtime-service.ts";

/** The message of a runtime's error as gRPC writes it: runtimes in this process leave out the code. */
export function rpcMessage(error: unknown): string {
  const message = errorMessage(error);
  if (!(error instanceof RuntimeError) || message.startsWith("rpc error: ")) return message;
  return `rpc error: code = ${error.code} desc = ${message}`;
}
