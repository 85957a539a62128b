import { field, int, message, text } from "../../../base/protobuf-message.ts";
import type { GrpcMethod } from "../../../platform/grpc/grpc-method.ts";

const HealthCheckRequest = message({ service: field(1, text) });
const HealthCheckResponse = message({ status: field(1, int) });

/** The method of gRPC's health checking protocol. */
export const healthCheck: GrpcMethod<{ readonly service: string }, { readonly status: number }> = {
  path: "/grpc.health.v1.Health/Check",
  request: HealthCheckRequest,
  response: HealthCheckResponse,
};

/** The name of a status of a service. */
export const servingStatus = (status: number): string => names[status] ?? String(status);

const names = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
