import type { AdmissionResponse } from "../../../api/admission/v1/admission-review.ts";
import { badRequest, StatusError } from "../../../api/meta/v1/status-error.ts";
import { DeadlineExceeded } from "../../../base/clock.ts";
import { quote } from "../../../schema/values/quote.ts";
import { messageOf } from "../../connect/upgrade.ts";
import { reviewVersionOf } from "../../connect/webhooks/returned-review.ts";
import type { WebhookClient } from "../../connect/webhooks/webhook-client.ts";
import type { WebhookLocation } from "../../connect/webhooks/webhook-location.ts";
import type { RequestContext } from "../../objects/request-context.ts";
import { annotate } from "../annotate.ts";
import { admissionRequest } from "../matching/admission-request.ts";
import type { SeenRequest } from "../matching/seen-request.ts";
import { admissionResponse } from "./admission-response.ts";
import { admissionReview } from "./admission-review.ts";
import type { AnyWebhook, ReadyWebhook } from "./ready-webhook.ts";
import { reviewedObjects } from "./reviewed-objects.ts";
import { WebhookFailure } from "./webhook-failure.ts";

/** What calls of webhooks need of the server. */
export interface CallParts {
  readonly webhooks: Pick<WebhookClient, "post">;
  readonly uuid: () => string;
}

/** A request about which a webhook is asked. */
export interface Question {
  readonly ready: ReadyWebhook;
  readonly request: SeenRequest;
  /** Whether the webhook may change the object. */
  readonly isMutating: boolean;
}

/**
 * The response of a webhook, which has been checked; its warnings and annotations are added to the request. Throws a
 * WebhookFailure where the failurePolicy is to decide, and a StatusError that ends the request.
 */
export async function callWebhook(
  { webhooks, uuid }: CallParts,
  { ready, request, isMutating }: Question,
): Promise<AdmissionResponse> {
  const { webhook } = ready;
  const { attributes, seenAs } = request;
  const { context } = attributes;
  if (context.dryRun) checkDryRun(webhook);
  const version = reviewVersionOf(webhook.admissionReviewVersions ?? []);
  if (version === undefined) throw unknownVersions();
  const uid = uuid();
  const body = admissionReview({
    uid,
    version,
    request: admissionRequest(attributes, seenAs),
    ...reviewedObjects(request),
  });
  const location = locationOf(ready);
  const text = await post(webhooks, { location, body, webhook, context });
  const response = admissionResponse(text, { uid, version, isMutating });
  for (const [key, value] of Object.entries(response.auditAnnotations ?? {}))
    annotate(context, `${webhook.name}/${key}`, value);
  context.warnings.push(...(response.warnings ?? []));
  return response;
}

/** A dry run must not have side effects. */
function checkDryRun({ name, sideEffects }: AnyWebhook): void {
  if (!sideEffects) throw new WebhookFailure("Webhook SideEffects is nil", { code: 400 });
  if (sideEffects !== "None" && sideEffects !== "NoneOnDryRun")
    throw badRequest(`admission webhook ${quote(name)} does not support dry run`);
}

const unknownVersions = (): WebhookFailure =>
  new WebhookFailure(
    "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
    { code: 400 },
  );

function locationOf({ location }: ReadyWebhook): WebhookLocation {
  try {
    return location();
  } catch (cause) {
    const message = `could not get REST client: ${messageOf(cause)}`;
    throw new WebhookFailure(message, { code: 500, cause });
  }
}

interface Posted {
  readonly location: WebhookLocation;
  readonly body: string;
  readonly webhook: AnyWebhook;
  readonly context: RequestContext;
}

/** Seconds that a webhook has, if its configuration does not say it. */
const defaultSeconds = 10;

/** Posts a review within the time of the webhook, and that which is left of the request. */
async function post(
  webhooks: CallParts["webhooks"],
  { location, body, webhook, context }: Posted,
): Promise<string> {
  const own = (webhook.timeoutSeconds ?? defaultSeconds) * 1000;
  const { ms, signal } = context.timeLeft?.() ?? { ms: own, signal: undefined };
  try {
    return await webhooks.post({
      webhook: location,
      body,
      timeoutMs: Math.min(own, ms),
      signal,
    });
  } catch (cause) {
    const isTimeUp = ms < own && cause instanceof Error && cause.cause instanceof DeadlineExceeded;
    throw new WebhookFailure(`failed to call webhook: ${messageOf(cause)}`, {
      code: cause instanceof StatusError ? cause.code : 503,
      end: signal?.aborted
        ? "context canceled"
        : isTimeUp
          ? "context deadline exceeded"
          : undefined,
      cause,
    });
  }
}
