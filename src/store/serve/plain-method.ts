import { maybe, message, nested } from "../../base/protobuf-message.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";
import { ResponseHeader } from "../etcd/etcd-messages.ts";

const Nothing = message({});
const OnlyHeader = message({ header: maybe(1, nested(ResponseHeader)) });

/** A method whose request is ignored and whose response is at most a header. */
export const plainMethod = (
  path: string,
): GrpcMethod<object, { readonly header: ResponseHeader | undefined }> => ({
  path: `/${path}`,
  request: Nothing,
  response: OnlyHeader,
});
