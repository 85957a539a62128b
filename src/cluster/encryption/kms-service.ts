import {
  bytes,
  field,
  type Message,
  message,
  nested,
  repeated,
  type Sent,
  text,
} from "../../base/protobuf-message.ts";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";
import { Annotation } from "../../store/encryption/encrypted-object.ts";
import type { KmsService } from "../../store/encryption/kms-provider.ts";

const annotations = (tag: number) => repeated(tag, nested(Annotation));

const StatusRequest = message({});
const StatusResponse = message({
  version: field(1, text),
  healthz: field(2, text),
  key_id: field(3, text),
});
const DecryptRequest = message({
  ciphertext: field(1, bytes),
  uid: field(2, text),
  key_id: field(3, text),
  annotations: annotations(4),
});
const DecryptResponse = message({ plaintext: field(1, bytes) });
const EncryptRequest = message({ plaintext: field(1, bytes), uid: field(2, text) });
const EncryptResponse = message({
  ciphertext: field(1, bytes),
  key_id: field(2, text),
  annotations: annotations(3),
});

const method = <I, O>(
  name: string,
  request: Message<I>,
  response: Message<O>,
): GrpcMethod<I, O> => ({
  path: `/v2.KeyManagementService/${name}`,
  request,
  response,
});

/** The methods of a key management service, version 2. */
export const kmsMethods = {
  status: method("Status", StatusRequest, StatusResponse),
  decrypt: method("Decrypt", DecryptRequest, DecryptResponse),
  encrypt: method("Encrypt", EncryptRequest, EncryptResponse),
};

export interface KmsServiceOptions {
  readonly timeoutMs: number;
  /** Makes a call, whose path is given, and measures it. */
  readonly measured?: (<T>(path: string, call: () => Promise<T>) => Promise<T>) | undefined;
}

/** Calls a key management service at a Unix socket. */
export function openKmsService(
  endpoint: string,
  { timeoutMs, measured = (_, call) => call() }: KmsServiceOptions,
): KmsService {
  const path = endpoint.replace(/^unix:(\/\/)?/, "");
  const client = createGrpcClient({ address: `unix://${path}` });
  const unary = <I, O>(called: GrpcMethod<I, O>, request: Sent<I>): Promise<O> =>
    measured(called.path, () => client.unary(called, request, { timeoutMs }));
  return {
    async status() {
      const { version, healthz, key_id } = await unary(kmsMethods.status, {});
      return { version, healthz, keyId: key_id };
    },
    async encrypt(uid, plaintext) {
      const sealed = await unary(kmsMethods.encrypt, { uid, plaintext });
      const noted = sealed.annotations.map(({ key, value }) => [key, value] as const);
      return {
        ciphertext: sealed.ciphertext,
        keyId: sealed.key_id,
        annotations: Object.fromEntries(noted),
      };
    },
    async decrypt(uid, { ciphertext, keyId, annotations: noted }) {
      const { plaintext } = await unary(kmsMethods.decrypt, {
        uid,
        ciphertext,
        key_id: keyId,
        annotations: Object.entries(noted).map(([key, value]) => ({ key, value })),
      });
      return plaintext;
    },
    isUnreachable: (error) =>
      error instanceof GrpcError &&
      (error.code === grpcCodes.unavailable || error.code === grpcCodes.deadlineExceeded),
    close: () => client.close(),
  };
}
