import { aborted } from "../../base/on-abort.ts";
import { field, int, message, text } from "../../base/protobuf-message.ts";
import { GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";
import { type GrpcHandler, streamHandler, unaryHandler } from "../../platform/grpc/grpc-server.ts";

const HealthCheckRequest = message({ service: field(1, text) });
const HealthCheckResponse = message({ status: field(1, int) });
const method = (
  name: string,
): GrpcMethod<{ readonly service: string }, { readonly status: number }> => ({
  path: `/grpc.health.v1.Health/${name}`,
  request: HealthCheckRequest,
  response: HealthCheckResponse,
});
export const healthMethods = { check: method("Check"), watch: method("Watch") } as const;

const serving = 1;
const serviceUnknown = 3;

/** gRPC's health service; it knows no individual services. */
export const healthHandlers: readonly GrpcHandler[] = [
  unaryHandler(healthMethods.check, async ({ service }) => {
    if (service !== "") throw new GrpcError(grpcCodes.notFound, "unknown service");
    return { status: serving };
  }),
  streamHandler(healthMethods.watch, async (requests, { send, signal }) => {
    for await (const { service } of requests)
      await send({ status: service === "" ? serving : serviceUnknown });
    // The status does not change while the caller watches.
    await aborted(signal);
  }),
];
