import {
  bool,
  bytes,
  field,
  int,
  type Message,
  maybe,
  message,
  nested,
  repeated,
  text,
} from "../../base/protobuf-message.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";

const Timestamp = message({ seconds: field(1, int), nanos: field(2, int) });
const Key = message({
  key_id: field(1, text),
  key: field(2, bytes),
  exclude_from_oidc_discovery: field(3, bool),
});
const FetchKeysResponse = message({
  keys: repeated(1, nested(Key)),
  data_timestamp: maybe(2, nested(Timestamp)),
  refresh_hint_seconds: field(3, int),
});

const method = <I, O>(
  name: string,
  request: Message<I>,
  response: Message<O>,
): GrpcMethod<I, O> => ({ path: `/v1.ExternalJWTSigner/${name}`, request, response });

/** The methods of a program that signs tokens. */
export const signerMethods = {
  sign: method(
    "Sign",
    message({ claims: field(1, text) }),
    message({ header: field(1, text), signature: field(2, text) }),
  ),
  fetchKeys: method("FetchKeys", message({}), FetchKeysResponse),
  metadata: method(
    "Metadata",
    message({}),
    message({ max_token_expiration_seconds: field(1, int) }),
  ),
};
