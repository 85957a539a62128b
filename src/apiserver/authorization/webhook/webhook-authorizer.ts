import { SubjectAccessReviewStatus } from "../../../api/authorization/v1/subject-access-review-spec.ts";
import type { Clock } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { ExpiringMap } from "../../../base/expiring-map.ts";
import type { Log } from "../../../base/log.ts";
import { decodeNode } from "../../../schema/json/decode.ts";
import { memberOf, returnedReview } from "../../connect/webhooks/returned-review.ts";
import type { ReviewWebhook } from "../../connect/webhooks/review-webhook.ts";
import type { AuthorizationMetrics } from "../../metrics/authorization-metrics.ts";
import type { Attributes } from "../attributes.ts";
import { type Authorizer, type Decision, noOpinion, noRules } from "../authorizer.ts";
import type { AccessConditions } from "./access-conditions.ts";
import {
  type AccessReviewSpec,
  accessReviewSpec,
  earlyReviewSpec,
  isCacheable,
} from "./access-review.ts";

/** The rules by which a webhook is asked. */
export interface WebhookRules {
  /** The version of the SubjectAccessReview that is sent. */
  readonly version: "v1" | "v1beta1";
  /** The time for one attempt. */
  readonly timeoutMs: number;
  /** How long allowed requests, and all others, are cached; 0 for not at all. */
  readonly allowedTtlMs: number;
  readonly otherTtlMs: number;
  /** What a failure means. */
  readonly onFailure: "deny" | "no opinion";
  /** Which requests the webhook is asked about; all if not given. */
  readonly conditions?: AccessConditions;
}

export interface WebhookAuthorizerOptions {
  readonly name: string;
  readonly rules: WebhookRules;
  readonly webhook: Pick<ReviewWebhook, "post">;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  readonly metrics: AuthorizationMetrics;
  readonly log: Log;
}

const capacity = 8192;
const group = "authorization.k8s.io";

/** Decides as another server does, whose decisions are kept for a while. */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { rules, clock } = options;
  const known = new ExpiringMap<string, SubjectAccessReviewStatus>({ clock, capacity });
  const ask = async (key: string, spec: AccessReviewSpec, attributes: Attributes) => {
    const status = await review(spec, options);
    const ttl = status.allowed ? rules.allowedTtlMs : rules.otherTtlMs;
    if (isCacheable(attributes)) known.set(key, status, ttl);
    return status;
  };
  return {
    async authorize(attributes) {
      const spec = accessReviewSpec(attributes);
      const failed = (error: unknown): Decision => ({
        verdict: rules.onFailure,
        reason: "",
        error: errorMessage(error),
      });
      try {
        if (!isAskedAbout(spec, options)) return noOpinion;
      } catch (error) {
        return failed(error);
      }
      const key = JSON.stringify(spec);
      try {
        return decisionOf(known.get(key) ?? (await ask(key, spec, attributes)));
      } catch (error) {
        options.log.error("calling the authorization webhook failed", error, {
          name: options.name,
        });
        return failed(error);
      }
    },
    rulesFor: () => ({
      ...noRules,
      incomplete: true,
      errors: ["webhook authorizer does not support user rule resolution"],
    }),
  };
}

function isAskedAbout(
  spec: AccessReviewSpec,
  { name, rules: { conditions }, metrics, ticks }: WebhookAuthorizerOptions,
): boolean {
  if (!conditions) return true;
  const begun = ticks();
  try {
    const isAsked = conditions(spec);
    if (!isAsked) metrics.excluded(name);
    return isAsked;
  } catch (error) {
    metrics.conditionsFailed(name);
    throw error;
  } finally {
    metrics.conditionsTook(name, (ticks() - begun) / 1000);
  }
}

async function review(
  spec: AccessReviewSpec,
  { name, rules, webhook, metrics, ticks }: WebhookAuthorizerOptions,
): Promise<SubjectAccessReviewStatus> {
  const { version, onFailure } = rules;
  const body = {
    kind: "SubjectAccessReview",
    apiVersion: `${group}/${version}`,
    metadata: {},
    spec: version === "v1" ? spec : earlyReviewSpec(spec),
    status: { allowed: false },
  };
  let result = "";
  try {
    const response = await webhook.post(`${JSON.stringify(body)}\n`, (error, begun) => {
      result = resultOf(error);
      metrics.asked(name, result, (ticks() - begun) / 1000);
    });
    const { node } = returnedReview(response, { group, version, kind: "SubjectAccessReview" });
    const status = memberOf(node, "status");
    if (!status) return { allowed: false };
    return decodeNode(SubjectAccessReviewStatus, status).value as SubjectAccessReviewStatus;
  } catch (error) {
    if (onFailure === "no opinion") metrics.failedOpen(name, result || "error");
    throw error;
  }
}

function resultOf(error: unknown): string {
  if (error === undefined) return "success";
  return /deadline exceeded|timed? ?out/i.test(errorMessage(error)) ? "timeout" : "error";
}

function decisionOf({ allowed, denied, reason = "" }: SubjectAccessReviewStatus): Decision {
  if (denied && allowed)
    return {
      verdict: "deny",
      reason,
      error: "webhook subject access review returned both allow and deny response",
    };
  if (denied) return { verdict: "deny", reason };
  return { verdict: allowed ? "allow" : "no opinion", reason };
}
