import type { AdmissionRequest } from "../../api/admission/v1/admission-review.ts";
import { internalError, statusOf } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { jsonValue, parseJson, stringifyJson } from "../../schema/json/strict-json.ts";
import type { AdmissionDecision, ConversionRequest } from "./webhook-definition.ts";
import type { WebhookEndpoint } from "./webhook-endpoints.ts";

/** The text of a review is no such review; the message says why. */
class ReviewError extends Error {
  override readonly name = "ReviewError";
}

/** The response to a review that was posted to a path. */
export type RespondToReview = (
  path: string,
  review: string,
) => Promise<{ readonly status: number; readonly type: string; readonly body: string }>;

/** Has webhooks respond at their paths. */
export function reviewResponder(
  endpoints: ReadonlyMap<string, WebhookEndpoint>,
  onFault: (error: unknown, path: string) => void,
): RespondToReview {
  return async (path, review) => {
    const endpoint = endpoints.get(path);
    if (!endpoint) return textOf(404, "404 page not found");
    try {
      const body = await respondToReview(endpoint, review, (error) => onFault(error, path));
      return { status: 200, type: "application/json", body };
    } catch (error) {
      if (error instanceof ReviewError) return textOf(400, error.message);
      throw error;
    }
  };
}

const textOf = (status: number, body: string) => ({
  status,
  type: "text/plain; charset=utf-8",
  body: `${body}\n`,
});

/** Called with what a webhook throws that is no decision. */
export type OnWebhookFault = (error: unknown) => void;

/**
 * Returns the JSON of the review with its response. A fault of the webhook denies the request: failure policies are
 * for webhooks that do not respond. Throws a ReviewError if the text is no review.
 */
export async function respondToReview(
  endpoint: WebhookEndpoint,
  text: string,
  onFault: OnWebhookFault,
): Promise<string> {
  const { group, kind } = reviewKinds[endpoint.reviews];
  const request = requestIn(text, { apiVersion: `${group}/v1`, kind });
  const response =
    endpoint.reviews === "admission"
      ? await endpoint
          .handle(request as unknown as AdmissionRequest)
          .catch((error: unknown): AdmissionDecision => {
            onFault(error);
            return { allowed: false, status: statusOf(internalError(error)) };
          })
      : await endpoint.handle(request as unknown as ConversionRequest).then(
          (convertedObjects) => ({ result: { status: "Success" }, convertedObjects }),
          (error: unknown) => {
            onFault(error);
            return { result: { status: "Failure", message: errorMessage(error) } };
          },
        );
  return stringifyJson({
    apiVersion: `${group}/v1`,
    kind,
    response: { uid: request.uid, ...response },
  });
}

const reviewKinds = {
  admission: { group: "admission.k8s.io", kind: "AdmissionReview" },
  conversion: { group: "apiextensions.k8s.io", kind: "ConversionReview" },
} as const;

interface ReviewKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The request of a review, with all of its numbers as they were sent. */
function requestIn(text: string, expected: ReviewKind): { readonly uid: string } {
  let review: unknown;
  try {
    review = jsonValue(parseJson(text));
  } catch (cause) {
    throw new ReviewError(`the review is no JSON: ${errorMessage(cause)}`, { cause });
  }
  if (!isMap(review)) throw new ReviewError("the review is no JSON object");
  const { apiVersion, kind, request } = review;
  if (apiVersion !== expected.apiVersion || kind !== expected.kind)
    throw new ReviewError(
      `this is the webhook of ${expected.kind} of ${expected.apiVersion}, not of ${String(kind)} of ${String(apiVersion)}`,
    );
  if (!isMap(request) || typeof request.uid !== "string" || request.uid === "")
    throw new ReviewError("the review has no request with a uid");
  return request as { readonly uid: string };
}
