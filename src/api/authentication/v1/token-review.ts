import { bool, string, strings, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { badRequest } from "../../meta/v1/status-error.ts";
import { UserInfo } from "./user-info.ts";

export const TokenReviewSpec = struct("io.k8s.api.authentication.v1.TokenReviewSpec", {
  token: string(1).expected().doc("The token that is asked about."),
  audiences: strings(2)
    .atomic()
    .doc("Whom the token should be meant for; the API server, if nobody is named."),
}).doc("The token that is asked about.");
export interface TokenReviewSpec extends Infer<typeof TokenReviewSpec> {}

export const TokenReviewStatus = struct("io.k8s.api.authentication.v1.TokenReviewStatus", {
  authenticated: bool(1).doc("Whether the token belongs to a known user."),
  user: value(2, UserInfo).doc("The user that the token belongs to."),
  audiences: strings(4)
    .atomic()
    .doc("Those of the audiences asked for that the token is meant for."),
  error: string(3).doc("Why the token could not be checked."),
}).doc("Whose token it is.");
export interface TokenReviewStatus extends Infer<typeof TokenReviewStatus> {}

export const TokenReview = kind({
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  scope: "Cluster",
  verbs: ["create"],
  isStored: false,
  doc: "Asks whose token a token is.",
  name: pathSegmentName,
  metadataRules: false,
  fields: {
    spec: value(2, TokenReviewSpec).expected().doc("The token that is asked about."),
    status: value(3, TokenReviewStatus).doc("The answer."),
  },
  strategy: {
    prepare({ spec }) {
      if (!spec.token) throw badRequest("token is required for TokenReview in authentication");
    },
  },
});
export interface TokenReview extends ObjectOf<typeof TokenReview> {}
