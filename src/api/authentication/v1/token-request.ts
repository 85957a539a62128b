import { int64, message, string, strings, time, value } from "../../../schema/language/field.ts";
import type { Kind } from "../../../schema/language/kind.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, type Struct, struct } from "../../../schema/language/struct.ts";
import { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { typeMeta } from "../../meta/v1/type-meta.ts";
import { unlistedKind } from "../../meta/v1/unlisted-kind.ts";

export const BoundObjectReference = struct("io.k8s.api.authentication.v1.BoundObjectReference", {
  kind: string(1).doc("Pod, Secret or Node."),
  apiVersion: string(2).doc("The version of the API in which the object is meant."),
  name: string(3).doc("The name of the object."),
  uid: string(4).doc("The uid of the object."),
}).doc("An object without which a token is no longer valid.");
export interface BoundObjectReference extends Infer<typeof BoundObjectReference> {}

export const TokenRequestSpec = struct("io.k8s.api.authentication.v1.TokenRequestSpec", {
  audiences: strings(1)
    .nullable()
    .atomic()
    .doc("Whom the token is meant for; others must refuse it."),
  expirationSeconds: int64(4)
    .nullable()
    .default(60 * 60)
    .doc("For how long the token should be valid; the one who issues it may differ."),
  boundObjectRef: message(3, BoundObjectReference)
    .nullable()
    .doc("The token is valid no longer than this object exists."),
}).doc("The token that is wanted.");
export interface TokenRequestSpec extends Infer<typeof TokenRequestSpec> {}

export const TokenRequestStatus = struct("io.k8s.api.authentication.v1.TokenRequestStatus", {
  token: string(1).always().doc("The token."),
  expirationTimestamp: time(2).always().doc("When it ends to be valid."),
}).doc("The token that was issued.");
export interface TokenRequestStatus extends Infer<typeof TokenRequestStatus> {}

export const TokenRequest = struct("io.k8s.api.authentication.v1.TokenRequest", {
  ...typeMeta,
  metadata: value(1, ObjectMeta).doc("The service account that the token is for."),
  spec: value(2, TokenRequestSpec).doc("The token that is wanted."),
  status: value(3, TokenRequestStatus).doc("The token that was issued."),
}).doc("Asks for a token of a service account.");
export interface TokenRequest extends Infer<typeof TokenRequest> {}

/** What the subresource token of a service account takes. */
export const TokenRequestKind: Kind<TokenRequest> = unlistedKind({
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  struct: TokenRequest as Struct<TokenRequest>,
  validate: validateTokenRequest,
});

const minSeconds = 10 * 60;
const maxSeconds = 2 ** 32;

/** The rules of a request for a token. */
export function validateTokenRequest({ spec }: TokenRequest, at: At): void {
  const here = at.child("spec");
  const seconds = spec.expirationSeconds ?? 0;
  if (seconds < minSeconds)
    here.invalid("expirationSeconds", seconds, "may not specify a duration less than 10 minutes");
  if (seconds > maxSeconds)
    here.invalid(
      "expirationSeconds",
      seconds,
      "may not specify a duration larger than 2^32 seconds",
    );
}
