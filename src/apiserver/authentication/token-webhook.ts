import { TokenReviewStatus } from "../../api/authentication/v1/token-review.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { decodeNode } from "../../schema/json/decode.ts";
import { memberOf, returnedReview } from "../connect/webhooks/returned-review.ts";
import type { ReviewWebhook } from "../connect/webhooks/review-webhook.ts";
import {
  type Authenticated,
  commonAudiences,
  type Refused,
  refused,
  type TokenAuthenticator,
  unknownToken,
} from "./token-authenticator.ts";

/** The versions of TokenReview that a webhook may be sent. */
export const tokenReviewVersions = ["v1", "v1beta1"] as const;
export type TokenReviewVersion = (typeof tokenReviewVersions)[number];

export interface TokenWebhookOptions {
  readonly webhook: Pick<ReviewWebhook, "post">;
  readonly version: TokenReviewVersion;
  /** The audiences of a token of which the webhook names none. */
  readonly audiences: readonly string[];
  readonly log: Log;
}

/** Authenticates tokens by a review of another server. */
export const tokenWebhook = (options: TokenWebhookOptions): TokenAuthenticator => ({
  async authenticate(token, audiences) {
    let status: TokenReviewStatus;
    try {
      status = await review(token, audiences, options);
    } catch (error) {
      options.log.error("calling the token webhook failed", error);
      return refused(errorMessage(error));
    }
    return outcome(status, { audiences, own: options.audiences });
  },
});

const group = "authentication.k8s.io";

async function review(
  token: string,
  audiences: readonly string[],
  { webhook, version }: TokenWebhookOptions,
): Promise<TokenReviewStatus> {
  const body = {
    kind: "TokenReview",
    apiVersion: `${group}/${version}`,
    metadata: {},
    spec: { token, ...(audiences.length > 0 && { audiences }) },
    status: { user: {} },
  };
  const response = await webhook.post(`${JSON.stringify(body)}\n`);
  const { node } = returnedReview(response, { group, version, kind: "TokenReview" });
  const status = memberOf(node, "status");
  if (!status) return { user: {} };
  return decodeNode(TokenReviewStatus, status).value as TokenReviewStatus;
}

function outcome(
  status: TokenReviewStatus,
  { audiences, own }: { readonly audiences: readonly string[]; readonly own: readonly string[] },
): Authenticated | Refused {
  const given = status.audiences ?? [];
  const common = commonAudiences(given.length > 0 ? given : own, audiences);
  if (common.length === 0) return unknownToken;
  if (!status.authenticated) return status.error ? refused(status.error) : unknownToken;
  const { username = "", uid = "", groups = [], extra } = status.user ?? {};
  const user = {
    name: username,
    ...(uid !== "" && { uid }),
    groups,
    ...(extra && { extra: extra as Readonly<Record<string, readonly string[]>> }),
  };
  return { user, audiences: common };
}
